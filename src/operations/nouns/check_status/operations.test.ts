import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../../../test/support/contexts.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import type { UpstreamId } from '../../../model/ids.ts';
import type { Manifest } from '../../../model/manifest.ts';
import { openShares } from '../../../session/shares.ts';
import { toInstanceKey } from '../../../upstream/instance-key.ts';
import type { House, RunningServer } from '../../house.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { openTestHouse, type TestHouse, toRunning } from '../../test-house.contract.ts';
import { CHECK_STATUS } from './operations.ts';
import { show } from './show.ts';

runOperationContract('check_status', CHECK_STATUS);

async function openHouse(config: object, given: Partial<House> = {}): Promise<TestHouse> {
  const house = await openTestHouse(given);
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify(config));
  return house;
}

const runningWith = (...servers: readonly RunningServer[]): House['running'] => ({
  processes: async () => [
    { pid: 7, command: 'serve', startedAt: '2026-11-16T10:00:00.000Z', url: 'http://127.0.0.1:7420' },
  ],
  servers: async () => servers,
  restart: async () => [],
});

const CONFIG = {
  builtin: false,
  mcpServers: {
    files: { command: 'x' },
    mail: { url: 'http://127.0.0.1:1/mcp' },
    old: { command: 'x', enabled: false },
  },
};

const MANIFEST: Manifest = {
  hello: {
    era: 'modern',
    protocolVersion: '2026-07-28',
    serverInfo: { name: 'files', version: '1' },
    capabilities: {},
    instructions: undefined,
  },
  lists: { tool: [], prompt: [], resource: [], template: [] },
};

describe('the status page', () => {
  it('says what to start where nothing runs', async () => {
    await using house = await openHouse(CONFIG);
    const { output, text } = await show.prepare({}).run(house);
    expect(output['ok']).toBe(true);
    expect(text).toContain('start thimble serve');
    expect(text).toContain('not running: files, mail');
    expect(text).toContain('disabled: old');
  });

  it('calls no server well that does not run and never answered', async () => {
    await using house = await openHouse({ ...CONFIG, builtin: { memory: true } });
    const { upstreams } = (await house.config.read()).config;
    const files = upstreams.find(({ id }) => id === 'files');
    const key = toInstanceKey('stdio', files?.options ?? {});
    await (await house.store()).manifests.save(key, 'files' as UpstreamId, MANIFEST);
    const status = await show.prepare({}).run(house);
    expect(status.text).toMatch(/Servers: \d+ of \d+ well, 1 not known to answer \(mail\)/);
    expect(status.output['servers']).toContainEqual(expect.objectContaining({ name: 'mail', seen: false }));
    expect(status.output['servers']).toContainEqual(expect.objectContaining({ name: 'files', seen: true }));
    expect(status.output['servers']).toContainEqual(expect.objectContaining({ name: 'memory', seen: true }));
  });

  it('puts what is wrong first, with the next step, and the last errors', async () => {
    const running = runningWith(
      toRunning('files'),
      toRunning('mail', {
        state: 'needs_auth',
        says: 'asks for a login',
        lastError: { message: 'HTTP 401', agoMs: 180_000 },
      }),
    );
    await using house = await openHouse(CONFIG, { running });
    const { output, text } = await show.prepare({}).run(house);
    expect(output['ok']).toBe(false);
    expect(text).toContain('process 7, http://127.0.0.1:7420');
    expect(text).toContain('mail (needs_auth) asks for a login; log in with thimble login mail');
    expect(text).toContain('online: files');
    expect(text).toContain('mail, 3 min ago: HTTP 401');
    expect(text).toContain('1 thing needs attention');
  });

  it('tells the reason of what is wrong once, and the way to look that fits the server', async () => {
    const lastError = { message: 'connect ECONNREFUSED', agoMs: 1_000 };
    const running = runningWith(
      toRunning('mail', { state: 'offline', says: `is offline (${lastError.message})`, lastError }),
      toRunning('files', { state: 'failed', says: 'ends again and again' }),
    );
    await using house = await openHouse(CONFIG, { running });
    const { output, text } = await show.prepare({}).run(house);
    expect(text.split(lastError.message)).toHaveLength(2);
    expect(output['errors']).toHaveLength(1);
    expect(text).toContain('thimble server test mail');
    expect(text).toContain('thimble server logs files');
  });

  it('knows nothing of servers where the configuration cannot be used', async () => {
    await using house = await openHouse({ mcpServers: 1 });
    const { text, succeeded } = await show.prepare({}).run(house);
    expect(text).toContain('Servers: not known until the configuration can be used');
    expect(succeeded).toBe(false);
  });

  it('says that there is no configuration yet', async () => {
    await using house = await openTestHouse();
    const { text } = await show.prepare({}).run(house);
    expect(text).toContain(`Configuration: none yet; it would be ${join(house.home, 'thimble.jsonc')}`);
  });

  it('counts a server as in trouble when it is so in any process', async () => {
    const running = runningWith(
      toRunning('files'),
      toRunning('files', { state: 'failed', says: 'has ended' }),
    );
    await using house = await openHouse(CONFIG, { running });
    expect((await show.prepare({}).run(house)).output['servers']).toMatchObject([
      { name: 'files', state: 'failed', ok: false },
      {},
      {},
    ]);
  });

  it('tells what clients were shown in tokens, and what is shared', async () => {
    await using house = await openHouse(CONFIG, { now: () => new Date() });
    const store = await house.store();
    const ledger = createLedger({
      store,
      tokens: { count: async () => 420 },
      tokenizer: { count: async (texts) => texts.map(() => 1), [Symbol.dispose]() {} },
      now: Date.now,
      isSearch: () => false,
    });
    ledger.listed(createContext(), 'mode auto ', []);
    await ledger.flush();
    await openShares(store).start({
      name: 'team',
      kind: 'profile',
      target: 'work',
      expiresAt: Date.now() + 3_600_000,
    });
    const { text } = await show.prepare({}).run(house);
    expect(text).toContain('test at mode auto 420');
    expect(text).toContain('the profile work as team until');
  });

  it('tells no secret that a server complains about', async () => {
    const value = 'a-planted-value-nobody-may-see';
    const lastError = { message: `refused ${value}`, agoMs: 1 };
    const running = runningWith(
      toRunning('files', { state: 'offline', says: `is down: ${value}`, lastError }),
    );
    await using house = await openHouse(CONFIG, { running });
    await (await house.secrets()).save('KEY', value);
    expect(JSON.stringify(await show.prepare({}).run(house))).not.toContain(value);
  });

  it('shows the rest where the configuration cannot be used', async () => {
    await using house = await openHouse({ mcpServers: 1 }, { running: runningWith() });
    const { output, text } = await show.prepare({}).run(house);
    expect(output['ok']).toBe(false);
    expect(text).toContain('Configuration: cannot be used');
    expect(text).toContain('process 7');
    expect(text).toContain('1 thing needs attention');
  });

  it('shows the rest where the store cannot be opened', async () => {
    const broken = () => Promise.reject(new Error('locked'));
    await using house = await openHouse(CONFIG, { store: broken, secrets: broken });
    const { output, text } = await show.prepare({}).run(house);
    expect(output['unread']).toEqual(['shares', 'tokens']);
    expect(text).toContain('not running: files');
  });
});
