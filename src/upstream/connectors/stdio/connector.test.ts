import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCall } from '../../../../test/support/contexts.ts';
import { createFastClock } from '../../../../test/support/fake-clock.ts';
import type { JsonObject } from '../../../model/json.ts';
import { openTestConnection, runConnectorContract } from '../../connector.contract.ts';
import type { Connection } from '../../upstream.ts';
import { stdio } from './connector.ts';

const fixture = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../../../test/fixtures/${name}`, import.meta.url)), ...args],
});

for (const era of ['legacy', 'modern'] as const)
  runConnectorContract({
    connector: stdio,
    era,
    start: async () => ({ options: fixture('echo-server.mjs', `--${era}`) }),
  });

const textOf = async (connection: Connection, name: string, args: JsonObject = {}) => {
  const result = await connection.request('tools/call', { name, arguments: args }, createCall());
  return (result['content'] as { text: string }[])[0]?.text ?? '';
};

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    // An ended process that nobody has waited for yet still has its pid.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a program behind the stdio connector', () => {
  it('sees only the environment it was given', async () => {
    const options = { ...fixture('echo-server.mjs', '--legacy'), env: { TOKEN: 'x' } };
    await using connection = await openTestConnection(stdio, options, { era: 'legacy' });
    expect((await textOf(connection, 'env')).split(' ').filter((name) => !name.startsWith('__'))).toEqual([
      'PATH',
      'TOKEN',
    ]);
  });

  it('leaves no grandchild behind, even one that ignores SIGTERM', async () => {
    const connection = await openTestConnection(stdio, fixture('leaves-children.mjs'));
    const grandchild = Number(await textOf(connection, 'grandchild'));
    expect(isAlive(grandchild)).toBe(true);
    await connection[Symbol.asyncDispose]();
    await expect.poll(() => isAlive(grandchild)).toBe(false);
  });

  it('is killed with its group when neither the end of stdin nor SIGTERM moves it', async () => {
    const connection = await openTestConnection(stdio, fixture('leaves-children.mjs', '--stubborn'), {
      clock: createFastClock(20),
    });
    const grandchild = Number(await textOf(connection, 'grandchild'));
    const { pid } = connection.notes();
    await connection[Symbol.asyncDispose]();
    expect(isAlive(pid ?? 0)).toBe(false);
    await expect.poll(() => isAlive(grandchild)).toBe(false);
  });

  it('has garbage on its stdout skipped and counted, and its stderr drained and bounded', async () => {
    await using connection = await openTestConnection(stdio, fixture('noisy.mjs'));
    expect(await textOf(connection, 'hush')).toBe('still here');
    expect(connection.notes().badLines).toBeGreaterThanOrEqual(14);
    expect(connection.notes().stderr.length).toBeLessThanOrEqual(200);
  });

  it('that cannot be found is reported with its command and advice', async () => {
    const options = { command: 'no-such-program-here', env: { PATH: '/nowhere' } };
    await expect(openTestConnection(stdio, options)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringMatching(/under-test: cannot start "no-such-program-here" \(ENOENT\).*PATH/),
    });
  });

  it('leaves nothing behind in this process, whether it could be started or not', async () => {
    const before = process.listenerCount('exit');
    for (const command of ['no-such-program-here', '/dev/null'])
      await expect(openTestConnection(stdio, { command })).rejects.toThrow('cannot start');
    const connection = await openTestConnection(stdio, fixture('echo-server.mjs'));
    expect(process.listenerCount('exit')).toBe(before + 1);
    await connection[Symbol.asyncDispose]();
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('that exits at once is reported with its code and last words', async () => {
    const opening = openTestConnection(stdio, fixture('exits-at-once.mjs', '--code', '7'));
    await expect(opening).rejects.toMatchObject({
      code: 'UPSTREAM_EXITED',
      message: 'under-test: exited with code 7; its last line on stderr: no licence key was given',
    });
  });

  it('that repeats a secret of its arguments is quoted without it', async () => {
    const code = 'console.error("cannot use", process.argv[1]); process.exit(7)';
    const options = { command: process.execPath, args: ['-e', code, 'key=CANARY-4711'] };
    await expect(openTestConnection(stdio, options, { secrets: ['CANARY-4711'] })).rejects.toMatchObject({
      message: 'under-test: exited with code 7; its last line on stderr: cannot use key=(hidden)',
    });
  });

  it('that ends during a call fails it with a typed error', async () => {
    await using connection = await openTestConnection(stdio, fixture('echo-server.mjs'));
    await expect(textOf(connection, 'exit')).rejects.toMatchObject({ code: 'UPSTREAM_EXITED' });
    expect(await connection.closed).toEqual({
      kind: 'exited',
      message: 'exited with code 3; its last line on stderr: leaving as I was told',
    });
  });

  it('that answers with too long a line fails that call alone', async () => {
    const options = { ...fixture('echo-server.mjs'), maxMessageBytes: 100_000 };
    await using connection = await openTestConnection(stdio, options);
    const waiting = createCall();
    const other = connection.request('tools/call', { name: 'slow', arguments: { wait: true } }, waiting);
    await expect(textOf(connection, 'big', { bytes: 200_000 })).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
      data: { limit: 100_000 },
    });
    expect(await textOf(connection, 'echo', { text: 'alive' })).toBe('alive');
    waiting.cancel();
    await expect(other).rejects.toThrow('cancelled by the test');
  });

  it('that never answers the probe is greeted with initialize as well', async () => {
    await using connection = await openTestConnection(stdio, fixture('echo-server.mjs', '--silent-probe'), {
      clock: createFastClock(20),
    });
    expect(connection.hello.era).toBe('legacy');
  });

  it('that exits at the probe is started again and greeted with initialize only', async () => {
    await using connection = await openTestConnection(stdio, fixture('echo-server.mjs', '--exit-on-probe'));
    expect(connection.hello.era).toBe('legacy');
  });

  it('is probed anew when it no longer speaks the era it spoke last time', async () => {
    for (const [hint, now] of [
      ['legacy', 'modern'],
      ['modern', 'legacy'],
    ] as const) {
      await using connection = await openTestConnection(stdio, fixture('echo-server.mjs', `--${now}`), {
        hint,
      });
      expect(connection.hello.era).toBe(now);
    }
  });

  it('gets our envelope and the rest of the caller’s _meta in the modern era', async () => {
    await using connection = await openTestConnection(stdio, fixture('echo-server.mjs', '--modern'));
    const params = { name: 'meta', _meta: { traceparent: '00-1', progressToken: 5 } };
    const result = await connection.request('tools/call', params, createCall());
    const meta = JSON.parse((result['content'] as { text: string }[])[0]?.text ?? '') as JsonObject;
    expect(meta).toMatchObject({
      traceparent: '00-1',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'thimble' },
    });
    expect(meta['progressToken']).not.toBe(5);
  });
});
