import { type Duplex, duplexPair, PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openRelay } from './relay.ts';

/** A client, and the processes that serve it one after the other. */
function setUp() {
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
  const relay = openRelay({ input, output, connect: async () => open() }, open());
  const say = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const host = (at: number): Host => {
    const found = hosts[at];
    if (!found) throw new Error(`there is no host ${at}`);
    return found;
  };
  return { relay, input, say, heard, host, settle };
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

const received = (count: number) =>
  JSON.stringify({ jsonrpc: '2.0', method: '$/received', params: { count } });
const result = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: { ok: true } });
const CALL = { id: 7, method: 'tools/call', params: { name: 'x' } };

describe('a relay', () => {
  it('passes lines both ways as they are, and keeps to itself how many arrived', async () => {
    const { say, host, heard } = setUp();
    say(CALL);
    await settle();
    expect(host(0).got).toEqual([JSON.stringify({ jsonrpc: '2.0', ...CALL })]);
    host(0).say(received(1));
    host(0).say(result(7));
    await settle();
    expect(heard).toEqual([result(7)]);
  });

  it('answers a call that had arrived when the process ended, and sends it to nobody else', async () => {
    const { say, host, heard } = setUp();
    say(CALL);
    await settle();
    host(0).say(received(1));
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
    host(0).say(received(1));
    host(0).say(result(1));
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'resources/subscribe', params: { uri: 'a://b' } });
    await settle();
    host(0).say(received(3));
    host(0).say(result(2));
    say({ id: 'é3', method: 'tools/list' });
    await settle();
    host(0).say(received(4));
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
});
