import { Duplex, duplexPair, PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { DRAIN_MS } from '../../transport/limits.ts';
import { RECEIVED } from './received.ts';
import { openRelay } from './relay.ts';

/** A client, and the processes that serve it one after the other; the first may be at the end of a given link. */
function setUp(first?: Duplex) {
  const clock = createFakeClock();
  const input = new PassThrough();
  const output = new PassThrough();
  const heard: string[] = [];
  output.on('data', (chunk) => heard.push(...String(chunk).split('\n').filter(Boolean)));
  const hosts: Host[] = [];
  const open = () => {
    const [ours, theirs] = duplexPair();
    hosts.push(createHost(theirs, ours));
    return ours;
  };
  const switches = { on: 'ns_activate_server', off: 'ns_deactivate_server' };
  const relay = openRelay({ input, output, clock, switches, connect: async () => open() }, first ?? open());
  const say = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const host = (at: number): Host => {
    const found = hosts[at];
    if (!found) throw new Error(`there is no host ${at}`);
    return found;
  };
  return { relay, clock, input, output, say, heard, host, settle };
}

interface Host {
  readonly got: string[];
  say(line: string): void;
  die(): void;
}

/** The two ends of a pair do not hear of each other's death, as those of a socket do. */
function createHost(end: Duplex, other: Duplex): Host {
  const got: string[] = [];
  end.on('data', (chunk) => got.push(...String(chunk).split('\n').filter(Boolean)));
  end.on('error', () => {});
  return { got, say: (line) => void end.write(`${line}\n`), die: () => void other.destroy() };
}

/** Lets every stream pass on what it has. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const RECEIPT = JSON.stringify({ jsonrpc: '2.0', method: RECEIVED });
const result = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: { ok: true } });
const CALL = { id: 7, method: 'tools/call', params: { name: 'x' } };

describe('a relay', () => {
  it('passes lines both ways as they are, and keeps to itself that they arrived', async () => {
    const { say, host, heard } = setUp();
    say(CALL);
    await settle();
    expect(host(0).got).toEqual([JSON.stringify({ jsonrpc: '2.0', ...CALL })]);
    host(0).say(RECEIPT);
    host(0).say(result(7));
    await settle();
    expect(heard).toEqual([result(7)]);
  });

  it('goes on to the next process when the first has ended between its welcome and the first line', async () => {
    const [ended] = duplexPair();
    ended.destroy();
    await settle();
    const { say, host, heard } = setUp(ended);
    say(CALL);
    await settle();
    host(0).say(result(7));
    await settle();
    expect(host(0).got).toEqual([JSON.stringify({ jsonrpc: '2.0', ...CALL })]);
    expect(heard).toEqual([result(7)]);
  });

  it('goes on once more when the next process has ended by then too, with nothing lost', async () => {
    const [[first], [second], [third, host]] = [duplexPair(), duplexPair(), duplexPair()];
    const { got } = createHost(host, third);
    second.destroy();
    const next = [second, third];
    const [input, output] = [new PassThrough(), new PassThrough()];
    openRelay({ input, output, connect: async () => next.shift() ?? third }, first);
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...CALL })}\n`);
    await settle();
    first.destroy();
    await settle();
    expect(got).toEqual([JSON.stringify({ jsonrpc: '2.0', ...CALL })]);
  });

  it('answers a call that had arrived when the process ended, and sends it to nobody else', async () => {
    const { say, host, heard } = setUp();
    say(CALL);
    await settle();
    host(0).say(RECEIPT);
    await settle();
    host(0).die();
    await settle();
    expect(heard).toHaveLength(1);
    expect(JSON.parse(heard[0] ?? '')).toMatchObject({ id: 7, error: { data: { code: 'UPSTREAM_EXITED' } } });
    expect(host(1).got).toEqual([]);
  });

  it('says a call again that never arrived', async () => {
    const { say, host, heard } = setUp();
    say(CALL);
    await settle();
    host(0).die();
    await settle();
    expect(host(1).got).toEqual([JSON.stringify({ jsonrpc: '2.0', ...CALL })]);
    host(1).say(result(7));
    await settle();
    expect(heard).toEqual([result(7)]);
  });

  it('does not take a call for lost after which anything else came', async () => {
    const { say, host, heard } = setUp();
    say(CALL);
    await settle();
    host(0).say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} }));
    await settle();
    host(0).die();
    await settle();
    expect(host(1).got).toEqual([]);
    expect(heard.some((line) => line.includes('UPSTREAM_EXITED'))).toBe(true);
  });

  it('opens the conversation anew and says again what only reads, without the client noticing', async () => {
    const { say, host, heard } = setUp();
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
    await settle();
    host(0).say(RECEIPT);
    host(0).say(result(1));
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'resources/subscribe', params: { uri: 'a://b' } });
    await settle();
    host(0).say(RECEIPT);
    host(0).say(result(2));
    say({ id: 'é3', method: 'tools/list' });
    await settle();
    host(0).say(RECEIPT);
    await settle();
    host(0).die();
    await settle();
    const methods = host(1).got.map((line) => (JSON.parse(line) as { method: string }).method);
    expect(methods).toEqual(['initialize', 'notifications/initialized', 'resources/subscribe', 'tools/list']);
    const before = heard.length;
    for (const line of host(1).got) {
      const { id } = JSON.parse(line) as { id?: unknown };
      if (id !== undefined) host(1).say(result(id));
    }
    await settle();
    expect(heard.slice(before)).toEqual([result('é3')]);
  });

  it('switches on again what the client had switched on, before the next process hears the client', async () => {
    const { say, host, heard, input } = setUp();
    const activate = {
      method: 'tools/call',
      params: { name: 'ns_activate_server', arguments: { server: 'a' } },
    };
    const list = { method: 'tools/list' };
    const methodsAt = (at: number) =>
      host(at).got.map((line) => (JSON.parse(line) as { method: string }).method);
    const answerAll = (at: number) => {
      for (const line of host(at).got.splice(0))
        host(at).say(result((JSON.parse(line) as { id: unknown }).id));
    };
    say({ id: 1, ...activate });
    await settle();
    answerAll(0);
    await settle();
    say({ id: 2, ...list });
    await settle();
    host(0).die();
    await settle();
    say({ id: 3, ...list });
    await settle();
    expect(methodsAt(1)).toEqual(['tools/call']);
    // One that ends before it has answered leaves nothing behind.
    host(1).die();
    await settle();
    input.end();
    await settle();
    expect(methodsAt(2)).toEqual(['tools/call']);
    answerAll(2);
    await settle();
    expect(methodsAt(2)).toEqual(['tools/list', 'tools/list']);
    answerAll(2);
    await settle();
    expect(heard).toEqual([1, 2, 3].map(result));
  });

  it('brings the answers to what was asked before the client closed its end', async () => {
    const { relay, input, say, heard, host } = setUp();
    say(CALL);
    input.end();
    await settle();
    host(0).say(result(7));
    await settle();
    host(0).die();
    await expect(relay.closed).resolves.toBeUndefined();
    expect(heard).toEqual([result(7)]);
  });

  it('ends when the client closes its end', async () => {
    const { relay, input, host } = setUp();
    input.end();
    await settle();
    host(0).die();
    await expect(relay.closed).resolves.toBeUndefined();
  });

  it('takes no more when it stops, lets calls finish, and answers those that do not', async () => {
    const { relay, say, heard, host, clock } = setUp();
    say(CALL);
    say({ ...CALL, id: 8 });
    await settle();
    const stopping = relay.stop();
    say({ ...CALL, id: 9 });
    say({ id: 'question', result: {} });
    await settle();
    host(0).say(result(7));
    await settle();
    expect(host(0).got.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual([7, 8, 'question']);
    await clock.advance(DRAIN_MS);
    await stopping;
    expect(heard.map((line) => JSON.parse(line) as object)).toMatchObject([
      { id: 9, error: { data: { code: 'TOO_BUSY', stopping: true, retry: true } } },
      { id: 7, result: { ok: true } },
      { id: 8, error: { data: { code: 'TOO_BUSY', stopping: true, retry: false } } },
    ]);
  });

  it('does not wait for a subscription when it stops, and ends it in good order', async () => {
    const { relay, say, heard, clock } = setUp();
    say({ id: 3, method: 'subscriptions/listen', params: {} });
    await settle();
    await relay.stop();
    expect(clock.waiting).toBe(0);
    await settle();
    expect(heard.map((line) => JSON.parse(line) as object)).toMatchObject([
      { id: 3, result: { resultType: 'complete' } },
    ]);
  });

  it('passes on an answer of any length, since who wrote it keeps the bounds', async () => {
    const { say, host, output } = setUp();
    let bytes = 0;
    output.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    say(CALL);
    await settle();
    const text = JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: 'x'.repeat(20_000_000) } });
    host(0).say(text);
    await expect.poll(() => bytes).toBe(text.length + 1);
    host(0).die();
    await settle();
    expect(host(1).got).toEqual([]);
  });

  it('listens once for a client that reads slowly, however many lines wait for it', async () => {
    const { say, host, output, heard } = setUp();
    say(CALL);
    await settle();
    output.pause();
    const line = result('x'.repeat(1_000));
    host(0).say(Array.from({ length: 200 }, () => line).join('\n'));
    await settle();
    expect(output.listenerCount('drain')).toBeLessThanOrEqual(1);
    output.resume();
    await expect.poll(() => heard).toHaveLength(200);
  });

  it('does not take a call for lost after which part of a line came', async () => {
    const [ours, theirs] = duplexPair();
    const { say, host, heard } = setUp(ours);
    theirs.resume();
    say(CALL);
    await settle();
    theirs.write('{"jsonrpc":"2.0","id":6,"result":{"text":"a long answer that');
    await settle();
    ours.destroy();
    await settle();
    expect(heard.map((text) => JSON.parse(text) as object)).toMatchObject([
      { id: 7, error: { data: { code: 'UPSTREAM_EXITED' } } },
    ]);
    expect(host(0).got).toEqual([]);
  });

  it.each([
    ['write', { refused: [7], again: [8] }],
    ['read', { refused: [], again: [7, 8] }],
  ])('after a failed %s says again only what cannot have arrived', async (syscall, { refused, again }) => {
    let lines = 0;
    const link = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        lines += String(chunk) === '\n' ? 1 : 0;
        // The first call goes out whole; with the second it shows that the other side is gone.
        const gone = Object.assign(new Error('gone'), { syscall });
        done(lines < 1 || String(chunk) === '\n' ? null : gone);
      },
    });
    const { say, host, heard } = setUp(link);
    say(CALL);
    await settle();
    say({ ...CALL, id: 8 });
    await settle();
    const idOf = (line: string) => (JSON.parse(line) as { id: unknown }).id;
    expect({ refused: heard.map(idOf), again: host(0).got.map(idOf) }).toEqual({ refused, again });
  });
});
