/** The program as a person or a client meets it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createPlace,
  descendantsOf,
  eventually,
  fixture,
  isAlive,
  PROGRAM,
  serve,
  untilMet,
} from '../support/program.ts';
import { namesOf, openStdio } from '../support/stdio-client.ts';

const run = promisify(execFile);
const echo = (...args: string[]) => ({
  command: process.execPath,
  args: [fixture('echo-server.mjs'), ...args],
});

async function fails(args: string[], cwd: string) {
  return run(process.execPath, [PROGRAM, ...args], { cwd }).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
}

describe('thimble serve', () => {
  it('needs no configuration, says what to do first, and picks the first file up while running', async () => {
    await using place = await createPlace({});
    await using served = await serve({ ...place, dir: place.dir }, '--config', place.config);
    expect(served.output()).toContain('0 servers, 0 tools');
    expect(served.output()).toContain('claude mcp add');
    await place.write({ mcpServers: { echo: echo() } });
    await eventually('the new server is served', async () => {
      const health = (await (await fetch(`${served.url}/health`)).json()) as {
        toolCounts: { total: number };
      };
      return health.toolCounts.total > 0;
    });
  });

  it.each(['.mcp.json', 'home/thimble.jsonc'])('picks up a first configuration at %s', async (name) => {
    await using place = await createPlace({});
    await rm(place.config);
    await using served = await serve(place);
    expect(served.output()).toMatch(
      /none yet; looking for thimble\.jsonc, .* in .*, thimble\.jsonc or .* in /,
    );
    await writeFile(join(place.dir, name), JSON.stringify({ mcpServers: { echo: echo() } }));
    await eventually('the file is told', () =>
      served.output().includes(`changes in ${join(place.dir, name)}`),
    );
  });

  it('prints an entry for stdio clients that works from another directory', async () => {
    await using place = await createPlace({ mcpServers: { echo: echo() } });
    await using served = await serve(place);
    await untilMet(served, 'echo');
    const line =
      served
        .output()
        .split('\n')
        .find((each) => each.includes('"stdio"')) ?? '';
    const { args } = JSON.parse(line).mcpServers.thimble as { args: string[] };
    const elsewhere = join(place.dir, 'elsewhere');
    await mkdir(elsewhere);
    await using client = openStdio({ ...place, dir: elsewhere }, ...args.slice(1));
    await client.initialize();
    expect(namesOf(await client.request('tools/list'))).toContain('echo');
  });

  // Said once, soon after the start: a server that is slow to start by chance is still starting then.
  it('says where each server stands', { retry: 3 }, async () => {
    await using place = await createPlace({
      mcpServers: {
        'My Echo': echo(),
        broken: { command: 'no-such-program-anywhere' },
        off: { ...echo(), disabled: true },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
        secret: { ...echo(), env: { TOKEN: '${env:NO_SUCH_VARIABLE}' } },
      },
    });
    await using served = await serve(place);
    expect(served.output()).toMatch(/my-echo \(My Echo\) +\d+ tools/);
    expect(served.output()).toMatch(/broken +offline: .*no-such-program-anywhere/);
    expect(served.output()).toMatch(/off +switched off/);
    expect(served.output()).toMatch(/secret +needs NO_SUCH_VARIABLE \(set it, then restart\)/);
  });

  it('says that a new port needs a restart', async () => {
    await using place = await createPlace({});
    await using served = await serve(place);
    await place.write({ http: { port: 1 } });
    await eventually('it is told', () => served.output().includes('restart to change http.port'));
  });

  it('keeps the last good configuration when an edit is broken, and says where', async () => {
    await using place = await createPlace({ mcpServers: { echo: echo() } });
    await using served = await serve(place);
    // In one step, or half of it might be taken for another edit.
    await writeFile(`${place.config}.new`, '{ "mcpServers": { "echo": { "comand": "node" } } }');
    await rename(`${place.config}.new`, place.config);
    await eventually('the broken edit is told', () => served.output().includes('did you mean "command"?'));
    expect(served.output()).toMatch(/thimble\.jsonc:1:\d+/);
    expect(served.output().match(/cannot be used/g)).toHaveLength(1);
    expect(served.output()).not.toContain('try again');
    const health = (await (await fetch(`${served.url}/health`)).json()) as { externalServers: unknown[] };
    expect(health.externalServers).toHaveLength(1);
  });

  it('answers /health in exactly the promised shape', async () => {
    await using place = await createPlace({ mcpServers: { 'My Echo': echo('--tools', '3') } });
    await using served = await serve(place);
    await untilMet(served, 'my-echo');
    expect(await (await fetch(`${served.url}/health`)).json()).toEqual({
      status: 'ok',
      servers: [],
      externalServers: [{ id: 'my-echo', name: 'My Echo', tools: expect.any(Number) }],
      toolCounts: {
        core: 0,
        external: expect.any(Number),
        total: expect.any(Number),
        routerMode: 2,
        modes: {
          direct: expect.any(Number),
          search: 4,
          category: 3,
          router: 2,
          activate: expect.any(Number),
          noun: expect.any(Number),
          auto: expect.any(Number),
        },
      },
    });
  });

  it('leaves no process behind when it is asked to stop', async () => {
    await using place = await createPlace({
      mcpServers: {
        echo: echo(),
        stubborn: { command: process.execPath, args: [fixture('leaves-children.mjs')] },
      },
    });
    const served = await serve(place);
    const children = await descendantsOf(served.child.pid ?? 0);
    expect(children.length).toBeGreaterThan(0);
    await served[Symbol.asyncDispose]();
    expect(served.child.exitCode).toBe(0);
    for (const pid of children) expect(await isAlive(pid)).toBe(false);
  });

  it('says which port is taken and what to do', async () => {
    await using place = await createPlace({});
    await using served = await serve(place);
    const port = new URL(served.url).port;
    const { code, stderr } = await fails(['serve', '--port', port, '--home', place.home], place.dir);
    expect(code).toBe(1);
    expect(stderr).toContain(port);
    expect(stderr).toContain('--port');
  });

  it('refuses an address that other machines could reach', async () => {
    await using place = await createPlace({});
    const { code, stderr } = await fails(['serve', '--host', '0.0.0.0', '--home', place.home], place.dir);
    expect(code).toBe(1);
    expect(stderr).toContain('127.0.0.1');
  });
});

describe('thimble stdio and thimble run', () => {
  it('write nothing but protocol on stdout, whatever the servers print', async () => {
    await using place = await createPlace({
      mcpServers: { echo: echo(), broken: { command: 'no-such-program-anywhere' } },
    });
    await using client = openStdio(place, 'stdio', '--verbose');
    await client.initialize();
    await client.listed('echo');
    for (const line of client.stdout().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    await eventually('the broken one is told', () => client.stderr().includes('no-such-program-anywhere'));
  });

  it.each([
    ['of its own', false],
    ['of another process', true],
  ])(
    'answer requests from a pipe that ends with the last of them, with servers %s',
    async (_whose, shared) => {
      await using place = await createPlace({ mcpServers: { echo: echo() } });
      {
        // So that the call below is for a server that is known, however long that takes here.
        await using before = openStdio(place);
        await before.initialize();
        await before.listed('echo');
      }
      await using host = shared ? openStdio(place) : undefined;
      await host?.initialize();
      const said = [
        {
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 't', version: '1' },
          },
        },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'heard' } } },
      ];
      const running = run(process.execPath, [PROGRAM, 'stdio', '--home', place.home], { cwd: place.dir });
      running.child.stdin?.end(
        said.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''),
      );
      const lines = (await running).stdout.trimEnd().split('\n');
      const answers = lines.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined);
      expect(answers).toMatchObject([
        { id: 1 },
        { id: 2, result: { content: [{ text: expect.any(String) }] } },
      ]);
    },
  );

  // A machine that stands still meanwhile may make it late; what is tested would be late every time.
  it('end with servers that mind nothing, before a client that waits two seconds twice kills them', {
    retry: 3,
  }, async () => {
    await using place = await createPlace({
      mcpServers: { stubborn: { command: process.execPath, args: [fixture('faulty.mjs'), '--stubborn'] } },
    });
    await using client = openStdio(place);
    await client.initialize();
    await client.listed('pid');
    const { content } = await client.request('tools/call', { name: 'pid', arguments: {} });
    const pid = Number((content as [{ text: string }])[0].text);
    const patience = () => new Promise((resolve) => setTimeout(resolve, 2_000));
    const ended = once(client.child, 'exit');
    client.child.stdin.end();
    await patience();
    client.child.kill('SIGTERM');
    expect(await Promise.race([ended.then(() => 'ended'), patience()])).toBe('ended');
    await eventually('its server is gone', async () => !(await isAlive(pid)));
  });

  it('narrow to a profile, for lists and calls alike', async () => {
    await using place = await createPlace({
      mcpServers: { a: { ...echo(), tags: ['work'] }, b: echo('--name', 'b') },
    });
    await using client = openStdio(place, 'stdio', '--profile', 'work');
    await client.initialize();
    await expect
      .poll(async () => {
        const names = namesOf(await client.request('tools/list'));
        return [...new Set(names.map((name) => name.split('__')[0]))];
      })
      .toEqual(['a']);
    await expect(client.request('tools/call', { name: 'b__echo', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('serve one server alone under its own names', async () => {
    await using place = await createPlace({ mcpServers: { a: echo(), b: echo('--name', 'b') } });
    await using client = openStdio(place, 'run', 'b');
    expect(await client.initialize()).toMatchObject({ serverInfo: { name: 'thimble' } });
    await client.listed('echo');
  });

  it.each([['stdio'], ['run', 'nobody']])(
    'say once where they looked when there is no configuration: %s',
    async (...args) => {
      await using place = await createPlace({});
      await rm(place.config);
      await using client = openStdio(place, ...args);
      await eventually('it is told', () => client.stderr().includes('configuration: none found'));
      expect(client.stderr()).toContain(place.home);
      expect(client.stderr().match(/none found/g)).toHaveLength(1);
    },
  );

  it('refuse what no configured server has, and say what there is', async () => {
    await using place = await createPlace({
      mcpServers: { one: { ...echo(), tags: ['work'] }, two: { ...echo(), tags: ['home'] } },
    });
    const profile = await fails(['stdio', '--profile', 'wrok', '--home', place.home], place.dir);
    expect(profile.code).toBe(4);
    expect(profile.stderr).toContain(
      'there is no profile "wrok" (did you mean "work"?); there are work, home',
    );
    const upstream = await fails(['run', 'nosuch', '--home', place.home], place.dir);
    expect(upstream.code).toBe(4);
    expect(upstream.stderr).toContain('no upstream has the id "nosuch"; the ids are one, two');
  });

  it('end with the client, and take their servers along', async () => {
    await using place = await createPlace({ mcpServers: { a: echo(), b: echo('--name', 'b') } });
    const client = openStdio(place);
    await client.initialize();
    await client.request('tools/list');
    const children = await descendantsOf(client.child.pid ?? 0);
    client.child.stdin.end();
    await eventually('the program ended', () => client.child.exitCode !== null);
    expect(client.child.exitCode).toBe(0);
    for (const pid of children) expect(await isAlive(pid)).toBe(false);
  });
});

describe('the command line', () => {
  it.each([
    [['serv'], 'did you mean "serve"?'],
    [
      ['serve', '--prot', '1'],
      'thimble: there is no option "--prot" (did you mean "--port"?); see thimble serve --help',
    ],
    [['serve', '--port'], 'thimble: --port <number> needs a value; see thimble serve --help'],
    [['serve', '--port='], 'thimble: --port <number> needs a value; see thimble serve --help'],
    [['serve', '--port', ' '], '0 to 65535'],
    [['serve', 'now'], 'thimble: there are more words than thimble serve takes; see thimble serve --help'],
    [['run'], 'thimble: <server> is missing: thimble run <server>; see thimble run --help'],
    [['--port', '1'], 'options come after a command'],
    [['stdio', '--profile', 'nobody'], 'thimble profile create'],
    [['serve', '--port', 'many'], '0 to 65535'],
    [['stdio', '--mode', 'dirct'], 'did you mean "direct"?'],
    [['run', 'gihub'], 'gihub'],
    [['serve', '--config', 'missing.jsonc'], 'missing.jsonc'],
  ])('answers %j with what to do', async (args, expected) => {
    await using place = await createPlace({});
    const { code, stderr } = await fails([...args], place.dir);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(expected);
    expect(stderr).not.toContain('    at ');
  });

  it('has help with examples', async () => {
    const { stdout } = await run(process.execPath, [PROGRAM, '--help']);
    expect(stdout).toContain('Examples:');
    const { stdout: serveHelp } = await run(process.execPath, [PROGRAM, 'serve', '--help']);
    expect(serveHelp).toContain('thimble serve --config');
  });
});

describe('the library example', () => {
  // It asks at once; a server that is slow to start by chance is not there then.
  it('verifies itself', { retry: 3 }, async () => {
    const example = fileURLToPath(new URL('../../examples/library/main.mjs', import.meta.url));
    const { stdout } = await run(process.execPath, [example]);
    expect(stdout).toContain('Hello, Ada!');
  });
});

describe('a store that cannot be used', () => {
  it('is left as it is, is told, and the servers are served all the same', async () => {
    await using place = await createPlace({ mcpServers: { echo: echo() } });
    const { readFile } = await import('node:fs/promises');
    await mkdir(place.home);
    const file = join(place.home, 'thimble.db');
    await writeFile(file, 'this is no database, and it is longer than a header would be '.repeat(40));
    const before = await readFile(file);
    await using client = openStdio(place);
    await client.initialize();
    await client.listed('echo');
    expect(client.stderr()).toContain(file);
    expect(await readFile(file)).toEqual(before);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});
