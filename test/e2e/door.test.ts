/** People ask running processes about their servers: `thimble ps`, `thimble logs`, `thimble restart`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createPlace, fixture, type Place, PROGRAM, serve } from '../support/program.ts';
import { openStdio } from '../support/stdio-client.ts';

const run = promisify(execFile);

const thimble = (place: Place, ...words: string[]) =>
  run(process.execPath, [PROGRAM, ...words, '--home', place.home]).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      text: stdout + stderr,
    }),
  );

const noisy = { command: process.execPath, args: [fixture('echo-server.mjs'), '--name', 'noisy'] };

describe('people who ask about running servers', () => {
  it('see every process of the home with its servers, restart one, and read what it wrote', async () => {
    await using place = await createPlace({ mcpServers: { noisy } });
    expect((await thimble(place, 'ps')).text).toContain('Nothing runs from');
    await using client = openStdio(place, 'stdio', '--alone');
    await client.initialize();
    await client.listed('add');
    await client.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    // What the server offers is known by now, so that it rests here until it is called.
    await using _served = await serve(place);
    const both = await thimble(place, 'ps');
    expect(both.text).toMatch(/thimble serve, process \d+/);
    expect(both.text).toMatch(/thimble stdio, process \d+/);
    expect(both.text).toMatch(/noisy\s+online\s+\d+/);
    const told = JSON.parse((await thimble(place, 'ps', '--json')).text) as {
      command: string;
      servers: { pid?: number; calls: number }[];
    }[];
    const before = told.find(({ command }) => command === 'stdio')?.servers[0];
    expect(before).toMatchObject({ calls: 1, pid: expect.any(Number) });

    const restarted = await thimble(place, 'restart', 'noisy');
    expect(restarted.code).toBe(0);
    expect(restarted.text).toMatch(/^noisy is running \(restarted by thimble stdio, process \d+\)$/m);
    expect(restarted.text).toMatch(
      /^noisy is not running; a call starts it \(left alone by thimble serve, process \d+\)$/m,
    );
    const after = JSON.parse((await thimble(place, 'ps', '--json')).text) as typeof told;
    expect(after.find(({ command }) => command === 'stdio')?.servers[0]?.pid).not.toBe(before?.pid);
    expect(after.find(({ command }) => command === 'serve')?.servers[0]).not.toHaveProperty('pid');
    expect(await thimble(place, 'logs', 'noisy')).toMatchObject({ code: 0 });
    const wrong = await thimble(place, 'logs', 'nosy');
    expect(wrong.code).not.toBe(0);
    expect(wrong.text).toContain('did you mean "noisy"?');
  });

  it('are not told of a process that was killed', async () => {
    await using place = await createPlace({ mcpServers: { noisy } });
    await using client = openStdio(place);
    await client.initialize();
    client.child.kill('SIGKILL');
    await new Promise((resolve) => client.child.once('exit', resolve));
    expect((await thimble(place, 'ps')).text).toContain('Nothing runs from');
  });
});
