import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { openShares } from '../../../session/shares.ts';
import type { House, Running, RunningServer } from '../../house.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { openTestHouse, type TestHouse, toRunning } from '../../test-house.contract.ts';
import { bootstrap } from './bootstrap.ts';
import { doctor } from './doctor.ts';
import { SYSTEM } from './operations.ts';
import { restart } from './restart.ts';
import { restartInfra } from './restart-infra.ts';

runOperationContract('system', SYSTEM);

/** Processes that note what they are asked to restart. */
function createRunning(servers: readonly RunningServer[], url?: string) {
  const restarted: (string | undefined)[] = [];
  const running: Running = {
    processes: async () => [{ pid: 7, command: 'serve', startedAt: '', url }],
    servers: async (id) => servers.filter((one) => id === undefined || one.id === id),
    async restart(id) {
      restarted.push(id);
      return servers.filter((one) => one.id === id);
    },
  };
  return { running, restarted };
}

async function openHouse(config: object, given: Partial<House> = {}): Promise<TestHouse> {
  const house = await openTestHouse({ now: () => new Date(), env: { PATH: process.env['PATH'] }, ...given });
  await mkdir(house.home, { recursive: true, mode: 0o700 });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ http: { port: 0 }, ...config }));
  return house;
}

const about = (output: object, what: string) =>
  (output as { checks: { about: string; verdict: string; says: string; fix?: string }[] }).checks.find(
    (check) => check.about === what,
  );

describe('restarting', () => {
  it('ends and starts what runs, one after the other, and leaves what rests', async () => {
    const { running, restarted } = createRunning([
      toRunning('b'),
      toRunning('a', { state: 'failed', says: 'has ended too often' }),
      toRunning('c', { state: 'idle' }),
    ]);
    await using house = await openHouse({}, { running });
    const prepared = restart.prepare({});
    expect((await prepared.plan(house))?.details).toHaveLength(2);
    expect(restarted).toEqual([]);
    const { output, text } = await prepared.run(house);
    expect(restarted).toEqual(['a', 'b']);
    expect(output['servers']).toMatchObject([
      { name: 'a', ok: false },
      { name: 'b', ok: true },
    ]);
    expect(text).toContain('a has ended too often');
    expect(text).toContain('Left alone, since nothing of it runs: c.');
    expect(house.told).toEqual(['restarting a (1 of 2)', 'restarting b (2 of 2)']);
  });

  it('asks about a server by its name even when it rests, and knows the nearest of a wrong name', async () => {
    const says = 'is not running; a call starts it';
    const { running, restarted } = createRunning([toRunning('memory', { state: 'idle', says, did: 'left' })]);
    await using house = await openHouse({}, { running });
    const prepared = restart.prepare({ name: 'memory' });
    expect(await prepared.run(house)).toMatchObject({
      output: { servers: [{ did: 'left', ok: true }], resting: [] },
      text: 'memory is not running; a call starts it (left alone)',
      succeeded: true,
    });
    expect(restarted).toEqual(['memory']);
    await expect(restart.prepare({ name: 'memry' }).plan(house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('"memory"'),
    });
  });

  it('says for each process what it did, and does not end well where one gave no answer', async () => {
    const of = (pid: number, command: string) => ({ process: { pid, command } });
    const { running } = createRunning([
      toRunning('memory', { ...of(7, 'serve'), state: 'idle', says: 'is not running', did: 'left' }),
      toRunning('memory', { ...of(8, 'stdio'), says: 'is running', did: 'restarted' }),
      toRunning('memory', { ...of(9, 'stdio'), state: 'unknown', says: 'may not be restarted there' }),
    ]);
    await using house = await openHouse({}, { running });
    const prepared = restart.prepare({ name: 'memory' });
    expect((await prepared.plan(house))?.summary).toBe('restart memory');
    const { text, succeeded } = await prepared.run(house);
    expect(text.split('\n')).toEqual([
      'memory is not running (left alone by thimble serve, process 7)',
      'memory is running (restarted by thimble stdio, process 8)',
      'memory may not be restarted there (thimble stdio, process 9)',
    ]);
    expect(succeeded).toBe(false);
  });

  it('says of a named server that nothing of it runs, or that it is switched off', async () => {
    const { running } = createRunning([toRunning('other')]);
    const mcpServers = { off: { command: 'x', enabled: false } };
    await using house = await openHouse({ mcpServers }, { running });
    expect((await restart.prepare({ name: 'memory' }).run(house)).text).toContain(
      'Nothing of memory is running',
    );
    await expect(restart.prepare({ name: 'off' }).plan(house)).rejects.toMatchObject({
      code: 'UPSTREAM_DISABLED',
      message: expect.stringContaining('thimble server enable off'),
    });
  });

  it('says what a server lacks that refuses to be started', async () => {
    const says = 'is not fully configured; set KEY';
    const { running } = createRunning([toRunning('memory', { state: 'awaiting_config', says, did: 'left' })]);
    await using house = await openHouse({}, { running });
    const { text, succeeded } = await restart.prepare({ name: 'memory' }).run(house);
    expect(text).toBe('memory is not fully configured; set KEY (left alone)');
    expect(succeeded).toBe(false);
  });

  it('needs a person also where nothing seems to run: a process may be stuck, or start it meanwhile', async () => {
    await using house = await openHouse({});
    for (const operation of [restart, restartInfra]) {
      const prepared = operation.prepare({});
      expect((await prepared.plan(house))?.details).toEqual(['nothing of it runs now, so nothing is ended']);
      expect((await prepared.run(house)).text).toContain('nothing was restarted');
    }
    const named = restart.prepare({ name: 'memory' });
    expect((await named.plan(house))?.details).toEqual([
      'end memory and start it again; calls in flight are cut',
    ]);
  });

  it('asks a process that did not say whether it has a server somebody named', async () => {
    const { running, restarted } = createRunning([]);
    const stuck = toRunning('memory', { state: 'unknown', says: 'may not be restarted there' });
    const restartStuck: Running['restart'] = async (id) => {
      await running.restart(id);
      return [stuck];
    };
    await using house = await openHouse({}, { running: { ...running, restart: restartStuck } });
    const { text, succeeded } = await restart.prepare({ name: 'memory' }).run(house);
    expect(restarted).toEqual(['memory']);
    expect(text).toBe('memory may not be restarted there');
    expect(succeeded).toBe(false);
  });

  it.each([restart, restartInfra])('reaches servers that run for single clients only', async (operation) => {
    const { running, restarted } = createRunning([toRunning('memory', { state: 'idle', scopes: 1 })]);
    await using house = await openHouse({}, { running });
    expect((await operation.prepare({}).plan(house))?.details).toEqual([
      'end memory and start it again; calls in flight are cut',
    ]);
    await operation.prepare({}).run(house);
    expect(restarted).toEqual(['memory']);
  });

  it('restarts shares after servers, keeps their tokens, and says which answer', async () => {
    const { running, restarted } = createRunning([toRunning('memory')], 'http://127.0.0.1:1');
    const asked: string[] = [];
    await using house = await openHouse(
      {},
      {
        running,
        fetch: async (address) => {
          asked.push(String(address));
          return new Response(null, { status: 401 });
        },
      },
    );
    const shares = openShares(await house.store());
    await shares.start({
      name: 'work',
      kind: 'server',
      target: 'memory',
      expiresAt: Date.now() + 3_600_000,
    });
    const [before] = await shares.list();
    const { output, text } = await restartInfra.prepare({}).run(house);
    const [after] = await shares.list();
    expect(restarted).toEqual(['memory']);
    expect(asked).toEqual(['http://127.0.0.1:1/i/work/mcp']);
    expect(after?.id).not.toBe(before?.id);
    expect(after?.digest).toBe(before?.digest);
    expect(output['ok']).toBe(true);
    expect(text).toContain('share work answers at');
  });

  it('tells no secret that a server complains about', async () => {
    const value = 'a-planted-value-nobody-may-see';
    const lastError = { message: `wrong key ${value}`, agoMs: 1 };
    const says = `is down (${lastError.message})`;
    const { running } = createRunning([toRunning('memory', { state: 'offline', says, lastError })]);
    await using house = await openHouse({}, { running });
    await (await house.secrets()).save('KEY', value);
    const { text } = await restart.prepare({}).run(house);
    expect(text).toContain('memory is down (wrong key');
    expect(text).not.toContain(value);
    expect(text.split('wrong key')).toHaveLength(2);
  });
});

describe('setting everything up', () => {
  it('says which clients are connected and which could not be, and ends badly then', async () => {
    await using house = await openHouse({});
    const folder = (name: string) => join(house.machine.userHome, name);
    for (const name of ['.cursor', '.gemini']) await mkdir(folder(name), { recursive: true });
    await writeFile(join(folder('.cursor'), 'mcp.json'), '{ broken');
    await writeFile(join(folder('.gemini'), 'settings.json'), '{}');
    const { output, succeeded } = await bootstrap.prepare({}).run(house);
    expect(output).toMatchObject({ connected: ['gemini'], refused: ['cursor'] });
    expect(succeeded).toBe(false);
    await writeFile(join(folder('.cursor'), 'mcp.json'), '{}');
    const again = await bootstrap.prepare({}).run(house);
    expect(again.output).toMatchObject({ connected: ['cursor', 'gemini'], refused: [] });
    expect(again.succeeded).toBe(true);
  });
});

describe('the doctor', () => {
  it('finds nothing wrong with a new home', async () => {
    await using house = await openHouse({ builtin: true });
    const { output, text } = await doctor.prepare({}).run(house);
    const wrong = (output['checks'] as { verdict: string }[]).filter(({ verdict }) => verdict === 'bad');
    expect(wrong).toEqual([]);
    expect(output['healthy']).toBe(true);
    expect(about(output, 'store')?.says).toContain('is whole');
    expect(text).toMatch(/^ok +node/);
  });

  it('says for each server what it lacks, and what to do', async () => {
    const command = process.execPath;
    const { running } = createRunning([
      toRunning('locked', { state: 'needs_auth', says: 'asks for a login' }),
      toRunning('fine'),
      toRunning('failed', { state: 'idle', lastError: { message: 'connect ECONNREFUSED', agoMs: 5 } }),
    ]);
    await using house = await openHouse(
      {
        builtin: false,
        mcpServers: {
          absent: { command: 'surely-no-such-program' },
          unset: { command, env: { TOKEN: `\${env:NOT_SET}` } },
          sealed: { command, env: { TOKEN: `\${secret:GONE}` } },
          locked: { url: 'http://127.0.0.1:1/mcp' },
          fine: { command },
          failed: { url: 'http://127.0.0.1:1/mcp' },
          resting: { command: 'surely-no-such-program', enabled: false },
        },
      },
      { running },
    );
    const { output, succeeded } = await doctor.prepare({}).run(house);
    expect(output['healthy']).toBe(false);
    expect(succeeded).toBe(false);
    expect(about(output, 'server absent')).toMatchObject({
      verdict: 'bad',
      fix: expect.stringContaining('thimble server edit absent'),
    });
    expect(about(output, 'server unset')?.fix).toContain('set NOT_SET');
    expect(about(output, 'server sealed')?.fix).toContain('thimble server edit sealed --env TOKEN=<value>');
    expect(about(output, 'server locked')).toMatchObject({
      verdict: 'bad',
      fix: 'log in with thimble login locked',
    });
    expect(about(output, 'server fine')).toMatchObject({
      verdict: 'warn',
      fix: expect.stringContaining('thimble server test fine'),
    });
    expect(about(output, 'server failed')?.says).toBe(
      'did not answer when it was last tried (connect ECONNREFUSED)',
    );
    expect(about(output, 'server resting')).toBeUndefined();
  });

  it('counts copies of files, not the notes beside them', async () => {
    await using house = await openHouse({});
    const folder = join(house.home, 'backups', 'clients');
    await mkdir(folder, { recursive: true });
    for (const name of ['cursor-1', 'cursor-1.json', 'cursor-2', 'cursor-2.json'])
      await writeFile(join(folder, name), 'x');
    await writeFile(join(house.home, 'backups', 'thimble.json'), '{}');
    const { output } = await doctor.prepare({}).run(house);
    expect(about(output, 'backups')?.says).toMatch(/^3 in /);
  });

  it('goes on where the configuration cannot be used', async () => {
    await using house = await openHouse({});
    await writeFile(join(house.home, 'thimble.jsonc'), '{ "mcpServers": 1 }');
    const { output } = await doctor.prepare({}).run(house);
    expect(about(output, 'configuration')?.verdict).toBe('bad');
    expect(about(output, 'servers')).toBeUndefined();
    expect(about(output, 'backups')?.verdict).toBe('ok');
  });

  it('goes on where the store cannot be opened', async () => {
    const broken = () => Promise.reject(new GatewayError('STORE_CORRUPT', 'the store is damaged'));
    const mcpServers = { a: { command: 'x', env: { T: `\${secret:X}` } } };
    await using house = await openHouse({ mcpServers }, { store: broken, secrets: broken });
    const { output } = await doctor.prepare({}).run(house);
    expect(about(output, 'store')).toMatchObject({ verdict: 'bad', fix: expect.stringContaining('move') });
    expect(about(output, 'server a')?.verdict).toBe('bad');
  });

  it('notices a key and a home that others can read', async () => {
    await using house = await openHouse({});
    await (await house.secrets()).save('KEY', 'value');
    await chmod(join(house.home, 'secret.key'), 0o644);
    await chmod(house.home, 0o755);
    const { output } = await doctor.prepare({}).run(house);
    expect(about(output, 'key')).toMatchObject({ verdict: 'bad', fix: expect.stringContaining('chmod 600') });
    expect(about(output, 'home')?.fix).toContain('chmod 700');
  });

  it('notices that the key of what is sealed is gone, and makes no other', async () => {
    await using house = await openHouse({});
    await (await house.secrets()).save('KEY', 'value');
    const file = join(house.home, 'secret.key');
    await rm(file);
    const { output } = await doctor.prepare({}).run(house);
    expect(about(output, 'key')).toMatchObject({
      verdict: 'bad',
      says: 'secret.key is missing, but 1 sealed value needs it',
      fix: 'put it back from your backup, or set THIMBLE_KEY',
    });
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('tells a port that is ours from one that another program has', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    try {
      const lookWith = async (url: string | undefined) => {
        const { running } = createRunning([], url);
        await using house = await openHouse({ http: { port } }, { running });
        return about((await doctor.prepare({}).run(house)).output, 'port');
      };
      expect(await lookWith(undefined)).toMatchObject({ verdict: 'warn' });
      expect(await lookWith(`http://127.0.0.1:${port}`)).toMatchObject({ verdict: 'ok' });
    } finally {
      other.close();
    }
  });

  it('notices a client whose entry starts nothing that is there', async () => {
    await using house = await openHouse({});
    const file = join(house.machine.userHome, '.cursor', 'mcp.json');
    await mkdir(join(house.machine.userHome, '.cursor'), { recursive: true });
    const write = (command: string, ...args: string[]) =>
      writeFile(file, JSON.stringify({ mcpServers: { thimble: { command, args } } }));
    const look = async () => about((await doctor.prepare({}).run(house)).output, 'client cursor');
    await write('/nowhere/thimble', 'stdio');
    expect(await look()).toMatchObject({
      verdict: 'bad',
      fix: expect.stringContaining('client connect cursor'),
    });
    await write(process.execPath, '/nowhere/thimble/dist/main.js', 'stdio');
    expect((await look())?.says).toContain('/nowhere/thimble/dist/main.js');
    await writeFile(file, '{ broken');
    expect((await look())?.verdict).toBe('bad');
  });
});
