import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CloseReason } from './channel.ts';
import { createLineChannel, type LineProblem } from './line-channel.ts';
import type { Message, RequestId } from './message.ts';
import { isUnsent } from './unsent.ts';

function openChannel(
  options: { lineLimit?: number; explain?: (reason: CloseReason) => Promise<CloseReason> } = {},
) {
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
});
