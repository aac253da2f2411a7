/** Thousands of broken messages for each parser: no crash, no hang, flat memory, and the next good one is understood. */
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors/gateway-error.ts';
import { createFeed } from '../../src/events/feed.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';
import { parseBounded } from '../../src/transport/bounded-json.ts';
import { openHttpServer } from '../../src/transport/http/server.ts';
import { serveStdio } from '../../src/transport/stdio.ts';
import { createLineChannel } from '../../src/wire/line-channel.ts';
import { type Message, parseMessage } from '../../src/wire/message.ts';
import { createSseParser } from '../../src/wire/sse-parser.ts';
import { createFakeSessions } from '../support/fake-sessions.ts';
import { POST_HEADERS, send, toModern } from '../support/raw-http.ts';
import { createRandom, cut, mutate, type Random, SEEDS } from './mutate.ts';

/** `FUZZ_RUNS` and `FUZZ_SEED` make it longer, or another. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 20_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_728);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** Runs many times; the second half must leave no more behind than the first did. */
async function repeat(runs: number, run: (bytes: Buffer, random: Random) => void | Promise<void>) {
  const random = createRandom(SEED);
  const one = () => run(mutate(SEEDS[Math.floor(random() * SEEDS.length)] as Buffer, random), random);
  for (let at = 0; at < runs / 2; at++) await one();
  const before = heapMb();
  for (let at = 0; at < runs / 2; at++) await one();
  expect(heapMb() - before).toBeLessThan(8);
}

const GOOD: Message = { jsonrpc: '2.0', id: 'good', method: 'ping' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe(`with the seed ${SEED}`, () => {
  it('the parser of messages refuses with a typed error or makes a message that is written as it was read', async () => {
    await repeat(RUNS, (bytes) => {
      let value: unknown;
      try {
        value = parseBounded(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        return;
      }
      const message = parseMessage(value);
      if (message) expect(JSON.parse(JSON.stringify(message))).toEqual(value);
    });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('the line channel hands on messages only, however the bytes are cut', async () => {
    const input = new PassThrough();
    const messages: Message[] = [];
    let noise = 0;
    const channel = createLineChannel({
      input,
      output: new PassThrough().resume(),
      lineLimit: 4_000,
      onNoise: () => {
        noise += 1;
      },
    });
    channel.open({
      message: (message) => {
        messages.length = 0;
        messages.push(message);
      },
      failed() {},
      closed() {},
    });
    await repeat(RUNS, async (bytes, random) => {
      for (const piece of cut(bytes, random)) input.write(piece);
      input.write('\n');
      if (random() < 0.02) await turn();
    });
    await turn();
    input.write(`${JSON.stringify(GOOD)}\n`);
    await expect.poll(() => messages).toEqual([GOOD]);
    expect(noise).toBeGreaterThan(RUNS / 10);
  });

  it('the parser of event streams gives whole events only, however the bytes are cut', async () => {
    let last = '';
    const parse = createSseParser(4_000, {
      event: ({ data }) => {
        last = data;
      },
    });
    await repeat(RUNS, (bytes, random) => {
      const frame = Buffer.concat([Buffer.from('event: message\ndata: '), bytes, Buffer.from('\n\n')]);
      for (const piece of cut(mutate(frame, random), random)) parse(piece);
    });
    parse(Buffer.from('\n\ndata: good\n\n'));
    expect(last).toBe('good');
  });

  it('a client on stdio that sends nonsense is answered in protocol, and served when it sends sense', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let answers = 0;
    let last = '';
    let rest = '';
    output.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
        last = line;
        answers += 1;
      }
    });
    const sessions = createFakeSessions();
    const serving = serveStdio({
      input,
      output,
      sessions,
      endpoint: sessions.endpointOf('/mcp', undefined),
      principal: LOCAL_PRINCIPAL,
      feed: createFeed(),
      onClosed() {},
      lineLimit: 4_000,
    });
    await repeat(RUNS / 2, async (bytes, random) => {
      input.write(bytes);
      input.write('\n');
      if (random() < 0.05) await turn();
    });
    input.write(`${JSON.stringify(GOOD)}\n`);
    await expect.poll(() => last).toBe('{"jsonrpc":"2.0","id":"good","result":{}}');
    expect(answers).toBeGreaterThan(RUNS / 20);
    await serving.close();
  });

  it('bodies that are nonsense get JSON and no 5xx, and the next good one is served', async () => {
    const sessions = createFakeSessions();
    const options = { host: '127.0.0.1', port: 0, sessions, feed: createFeed(), health: () => ({}) };
    const server = await openHttpServer(options);
    const url = `${server.url}/mcp`;
    await repeat(RUNS / 20, async (bytes) => {
      const answer = await send(url, { method: 'POST', headers: POST_HEADERS, body: bytes });
      expect(answer.status).toBeLessThan(500);
      if (answer.text !== '') expect(answer.text).toMatch(/^[[{]|^(event|id|:)/);
    });
    const good = await send(url, toModern('tools/call', { name: 'echo', arguments: {} }));
    expect(good.json).toHaveProperty('result');
    await server.close();
  });
});
