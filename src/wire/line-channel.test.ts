import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { CloseReason } from './channel.ts';
import { createLineChannel, type LineChannelOptions, type LineProblem } from './line-channel.ts';
import type { Message, RequestId } from './message.ts';
import { isUnsent } from './unsent.ts';

function openChannel(options: Partial<LineChannelOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const messages: Message[] = [];
  const noise: LineProblem[] = [];
  const failures: [RequestId | undefined, Error][] = [];
  const channel = createLineChannel({ input, output, onNoise: (problem) => noise.push(problem), ...options });
  const closed = new Promise<CloseReason>((resolve) => {
    channel.open({
      message: (message) => messages.push(message),
      failed: (id, error) => failures.push([id, error]),
      closed: resolve,
    });
  });
  return { input, output, messages, noise, failures, channel, closed };
}

describe('a line channel', () => {
  it('carries messages both ways, one a line', async () => {
    const { channel, input, output, messages, closed } = openChannel();
    channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const [written] = await once(output, 'data');
    expect(String(written)).toBe('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    input.end('{"jsonrpc":"2.0","id":1,"result":{}}\r\n');
    await closed;
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('skips and counts what is no message, bytes that are not UTF-8 among it', async () => {
    const { input, messages, noise, closed } = openChannel();
    input.write('starting up\n\n  \n[1]\n{"jsonrpc":"2.0","id":{},"method":"x"}\n');
    input.write(Buffer.from('{"jsonrpc":"2.0","method":"\xff"}\n', 'latin1'));
    input.end('{"jsonrpc":"2.0","method":"good"}\n');
    await closed;
    expect(noise.map(({ kind }) => kind)).toEqual(['not-json', 'not-a-message', 'not-a-message', 'not-json']);
    expect(messages).toHaveLength(1);
  });

  it('reads a line of megabytes like any other, wherever its bytes were cut', async () => {
    const { input, messages, noise, closed } = openChannel();
    const long = { jsonrpc: '2.0', id: 1, result: { text: 'ä漢🙂'.repeat(200_000) } } as const;
    const bytes = Buffer.from(`${JSON.stringify(long)}\n`);
    for (let at = 0; at < bytes.length; at += 65_521) input.write(bytes.subarray(at, at + 65_521));
    input.write(`${'no message '.repeat(200_000)}\n`);
    input.write(Buffer.concat([Buffer.alloc(2_000_000, 0x20), Buffer.from([0xff, 0x0a])]));
    input.end('{"jsonrpc":"2.0","method":"good"}\n');
    await closed;
    expect(messages).toHaveLength(2);
    expect(JSON.stringify(messages[0]) === JSON.stringify(long)).toBe(true);
    expect(noise).toMatchObject([
      { kind: 'not-json', bytes: 2_200_000 },
      { kind: 'not-json', bytes: 2_000_001 },
    ]);
  });

  it('tells of a change once however often it is said in one breath, and of all else each time', async () => {
    const { input, messages, closed } = openChannel();
    const say = (method: string, more = '') => `{"jsonrpc":"2.0","method":"${method}"${more}}\n`;
    const changed = say('notifications/tools/list_changed');
    input.write(`${changed.repeat(50)}${say('notifications/prompts/list_changed')}${changed}`);
    await new Promise((resolve) => setImmediate(resolve));
    input.write(changed);
    const progress = say('notifications/progress', ',"params":{"progressToken":1}');
    input.end(`${progress}${progress}${say('notifications/other')}${say('notifications/other')}`);
    await closed;
    expect(messages.map((message) => 'method' in message && message.method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/tools/list_changed',
      'notifications/tools/list_changed',
      'notifications/progress',
      'notifications/progress',
      'notifications/other',
      'notifications/other',
    ]);
  });

  it('fails the request whose answer was too long, naming size and limit', async () => {
    const { input, failures, closed } = openChannel({ lineLimit: 100 });
    input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 4, result: { text: 'x'.repeat(200) } })}\n`);
    await closed;
    expect(failures).toMatchObject([[4, { code: 'RESULT_TOO_LARGE', data: { bytes: 245, limit: 100 } }]]);
  });

  it('fails every request when nobody can tell whose answer was too long', async () => {
    const { input, failures, closed } = openChannel({ lineLimit: 100 });
    input.end(`${'x'.repeat(200)}\n`);
    await closed;
    expect(failures).toMatchObject([[undefined, { code: 'RESULT_TOO_LARGE' }]]);
  });

  it('does not fail a request of ours for a request of theirs that was too long', async () => {
    const { input, failures, noise, closed } = openChannel({ lineLimit: 100 });
    input.end(
      `${JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'x', params: { text: 'x'.repeat(200) } })}\n`,
    );
    await closed;
    expect(failures).toEqual([]);
    expect(noise).toMatchObject([{ kind: 'too-long' }]);
  });

  it('asks for a better reason when the streams end by themselves', async () => {
    const { input, closed } = openChannel({ explain: async () => ({ kind: 'exited', message: 'code 1' }) });
    input.end();
    input.resume();
    expect(await closed).toEqual({ kind: 'exited', message: 'code 1' });
  });

  it('says of a request it could not write that it was never sent', async () => {
    const { channel, output, failures } = openChannel();
    output.end();
    channel.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    expect(failures.map(([id, error]) => [id, isUnsent(error)])).toEqual([[1, true]]);
  });

  it('closes once, whoever closes it', async () => {
    const { channel, closed } = openChannel();
    await channel.close();
    await channel.close();
    expect(await closed).toEqual({ kind: 'closed', message: 'the link was closed' });
  });

  it('refuses requests to a side that does not read, keeps answers, and leaves passing news out', async () => {
    const { channel, output, failures } = openChannel({ backlogLimit: 1_000_000 });
    const fill = { jsonrpc: '2.0', id: 1, method: 'x', params: { text: 'x'.repeat(200_000) } } as const;
    channel.send(fill);
    channel.send({ ...fill, id: 2 });
    channel.send({ ...fill, id: 3 });
    expect(failures).toMatchObject([[3, { code: 'TOO_BUSY' }]]);
    channel.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } });
    channel.send({ jsonrpc: '2.0', id: 'theirs', result: {} });
    output.setEncoding('utf8');
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
    });
    await expect.poll(() => text.endsWith('"theirs","result":{}}\n')).toBe(true);
    expect(text).not.toContain('progress');
  });

  it('reads no further while the other side does not read, where its owner asks for that', async () => {
    const { channel, input, output } = openChannel({ holdInput: true });
    channel.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(2_000_000) } });
    expect(input.isPaused()).toBe(true);
    output.resume();
    await expect.poll(() => input.isPaused()).toBe(false);
  });

  it('ends when the other side takes nothing for too long', async () => {
    const clock = createFakeClock();
    const { channel, closed } = openChannel({ clock });
    channel.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(2_000_000) } });
    await clock.advance(25_000);
    expect(await closed).toMatchObject({ kind: 'failed', message: expect.stringContaining('does not read') });
  });

  it('answers for a result that cannot be written', async () => {
    const { channel, output } = openChannel();
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as never;
    channel.send({ jsonrpc: '2.0', id: 1, result: { deep } });
    const [written] = await once(output, 'data');
    expect(JSON.parse(String(written))).toMatchObject({
      id: 1,
      error: { data: { code: 'RESULT_TOO_LARGE' } },
    });
  });

  it('understands any messages however their bytes are cut', async () => {
    const lines = fc.array(fc.json({ maxDepth: 3 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (texts, size) => {
        const { input, messages, closed } = openChannel();
        const sent = texts.map((text, id) => ({ jsonrpc: '2.0', id, result: { value: JSON.parse(text) } }));
        const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(''));
        for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
        input.end();
        await closed;
        expect(messages).toEqual(JSON.parse(JSON.stringify(sent)));
      }),
      { numRuns: 50 },
    );
  });
});
