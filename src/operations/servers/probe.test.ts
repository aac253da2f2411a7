// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, startHttpServer } from '../../../test/support/http-server.ts';
import { openTestHouse } from '../test-house.contract.ts';
import { toToolNames } from './known-manifests.ts';
import { probe, probeUpstream } from './probe.ts';
import { findConfigured } from './server-entries.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
const node = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fixture(name), ...args],
});
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a server that is tried', () => {
  it('is seen with all it offers, and ended', async () => {
    await using house = await openTestHouse();
    const starts = join(house.home, '..', 'starts');
    const seen = await probe('echo', node('echo-server.mjs', '--name', 'parrot', '--starts', starts), house);
    expect(seen).toMatchObject({
      ok: true,
      manifest: { hello: { serverInfo: { name: 'parrot', version: '1.0.0' }, era: 'modern' } },
    });
    expect(seen.ok && toToolNames(seen.manifest)).toContain('add');
    const pids = (await readFile(starts, 'utf8')).trim().split('\n').map(Number);
    expect(pids).toHaveLength(1);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.each(['--legacy', '--exit-on-probe'])('may speak the older way (%s)', async (flag) => {
    await using house = await openTestHouse();
    expect(await probe('echo', node('echo-server.mjs', flag), house)).toMatchObject({
      ok: true,
      manifest: { hello: { era: 'legacy' } },
    });
  });

  it('has its references resolved from the environment and the kept values', async () => {
    await using house = await openTestHouse({ env: { FROM_ENV: 'parrot' } });
    await (await house.secrets()).save('x.NAME', 'sealed');
    const entry = (name: string) => node('echo-server.mjs', '--name', name);
    expect(await probe('echo', entry('${env:FROM_ENV}'), house)).toMatchObject({
      manifest: { hello: { serverInfo: { name: 'parrot' } } },
    });
    expect(await probe('echo', entry('${secret:x.NAME}'), house)).toMatchObject({
      manifest: { hello: { serverInfo: { name: 'sealed' } } },
    });
    expect(await probe('echo', entry('${secret:none}'), house)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('secret:none'),
    });
  });

  it('may be at an address', async () => {
    const server = await startHttpServer('both');
    try {
      await using house = await openTestHouse();
      expect(await probe('remote', { type: 'http', url: server.url }, house)).toMatchObject({ ok: true });
    } finally {
      await server.close();
    }
  });

  it('may be one of ours, which is started nowhere', async () => {
    await using house = await openTestHouse();
    const { upstream } = findConfigured(await house.config.read(), 'memory');
    if (!upstream) throw new Error('memory is switched off');
    const seen = await probeUpstream(upstream, house);
    expect(seen.ok && toToolNames(seen.manifest)).toContain('store_memory');
  });
});

describe('a server that does not work', () => {
  it('is told with its last words', async () => {
    await using house = await openTestHouse();
    const seen = await probe('bad', node('exits-at-once.mjs'), house);
    expect(seen).toMatchObject({ ok: false, needsLogin: false });
    expect(seen.ok || seen.stderr.at(-1)).toBe('no licence key was given');
    expect(seen.ok || seen.problem).toMatch(/exit|ended|code/i);
  });

  it('is told without the secrets it was given', async () => {
    await using house = await openTestHouse();
    const script =
      'console.error("cannot log in with", process.env.API_KEY, process.argv[1], "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2"); process.exit(2)';
    const entry = {
      command: process.execPath,
      args: ['-e', script, '--', '--token=hunter2hunter2'],
      env: { API_KEY: 'opensesame' },
    };
    const seen = await probe('bad', entry, house);
    const told = JSON.stringify(seen);
    expect(told).toContain('cannot log in with');
    for (const secret of ['opensesame', 'hunter2hunter2', 'a1B2c3D4']) expect(told).not.toContain(secret);
  });

  it('is given up after its time, and ended', async () => {
    await using house = await openTestHouse();
    const seen = await probe('mute', node('never-answers.mjs'), house, { timeoutMs: 400 });
    expect(seen).toMatchObject({ ok: false });
  });

  it('is a program that is not there, or no entry at all', async () => {
    await using house = await openTestHouse();
    expect(await probe('none', { command: '/nowhere/at/all' }, house)).toMatchObject({ ok: false });
    await expect(probe('none', { comand: 'x' }, house)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('is let go of when whoever asked has gone', async () => {
    const gone = new AbortController();
    await using house = await openTestHouse({ signal: gone.signal });
    const trying = probe('mute', node('never-answers.mjs'), house);
    gone.abort(new Error('gone'));
    await expect(trying).rejects.toThrow('gone');
  });
});

describe('a server at a URL that answers 401', () => {
  const HEADERS = { 'X-Key': 'opensesame' };

  it.each([
    ['refused the value where it names no login', undefined, HEADERS, false],
    ['wants a login where it says so', 'Bearer', HEADERS, true],
    ['wants a login where no value was given', undefined, undefined, true],
  ])('%s', async (_what, challenge, headers, needsLogin) => {
    await using house = await openTestHouse();
    const server = await listen((_request, response) => {
      response.writeHead(401, challenge === undefined ? {} : { 'WWW-Authenticate': challenge }).end();
    });
    onTestFinished(() => server.close());
    const seen = await probe('web', { url: `${server.origin}/mcp`, ...(headers && { headers }) }, house);
    expect(seen).toMatchObject({ ok: false, needsLogin });
    const problem = seen.ok ? '' : seen.problem;
    expect(problem === 'refused the value of X-Key; check it').toBe(!needsLogin);
  });
});
