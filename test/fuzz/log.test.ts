/** The log of the real program: every id a client was given is in it, and nothing clients or servers said in confidence. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { createPlace, eventually, fixture, serve, untilMet } from '../support/program.ts';
import { send, toModern } from '../support/raw-http.ts';

const SECRETS = ['argument-canary', 'result-canary', 'secret-canary'];

describe('the log', () => {
  it('has the id of every failure, one JSON object a line, without arguments, results or secrets', async () => {
    await using place = await createPlace({
      mcpServers: {
        mirror: {
          command: process.execPath,
          args: [fixture('mirror.mjs')],
          env: { TOKEN: 'secret-canary' },
        },
        crash: { command: process.execPath, args: [fixture('crash-on-call.mjs')] },
      },
    });
    const file = join(place.dir, 'thimble.log');
    const options = ['--log-level', 'debug', '--log-format', 'json', '--log-file', file];
    await using served = await serve(place, ...options);
    await untilMet(served, 'mirror', 'crash');
    const call = (upstream: string, name: string, args: JsonObject) =>
      send(`${served.url}/s/${upstream}/mcp`, toModern('tools/call', { name, arguments: args }));
    const text = 'argument-canary result-canary';
    expect((await call('mirror', 'echo', { text })).text).toContain('argument-canary');
    const list = await send(`${served.url}/s/crash/mcp`, toModern('tools/list'));
    const { tools } = (list.json as { result: { tools: { name: string }[] } }).result;
    const failed = await call('crash', tools[0]?.name ?? '', { text });
    const { data } = (failed.json as { error: { data: JsonObject } }).error;
    expect(data).toMatchObject({ code: 'UPSTREAM_EXITED', fault: expect.stringMatching(/^[0-9a-f]{8}$/) });
    await eventually('the failure is in the log', async () =>
      (await readFile(file, 'utf8')).includes(String(data['fault'])),
    );
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as JsonObject);
    expect(entries.find(({ fault }) => fault === data['fault'])).toMatchObject({
      level: 'warn',
      event: 'request.failed',
      code: 'UPSTREAM_EXITED',
    });
    for (const secret of SECRETS) expect(lines.join('\n') + served.output()).not.toContain(secret);
  });

  it('is refused with the choices when a level or format is unknown', async () => {
    await using place = await createPlace({});
    for (const [flag, value, choices] of [
      ['--log-level', 'loud', 'error, warn, info, debug'],
      ['--log-format', 'xml', 'text, json'],
    ] as const)
      await expect(serve(place, flag, value)).rejects.toThrow(`${flag} takes ${choices}, not "${value}"`);
  });
});
