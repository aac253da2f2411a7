import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PLAIN } from '../../test/support/plain-config.ts';
import { fixture } from '../../test/support/program.ts';
import { send, toModern } from '../../test/support/raw-http.ts';
import { parseConfig } from '../config/parse.ts';
import { CONFIG_PARTS, createGateway, type Gateway } from '../gateway.ts';
import { readUsage } from '../ledger/usage.ts';
import { openStore } from '../store/open.ts';
import { openSecrets } from '../store/secrets.ts';

async function createHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'thimble-kept-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

const MIRROR = { command: process.execPath, args: [fixture('mirror.mjs')] };

it('keeps account of calls of tools beyond the end of the process', async () => {
  const home = await createHome();
  {
    await using gateway = await createGateway({ ...PLAIN, mcpServers: { mirror: MIRROR } }, { home });
    const server = await gateway.listen({ port: 0 });
    const call = toModern('tools/call', { name: 'echo', arguments: {} });
    for (let times = 0; times < 3; times++) await send(`${server.url}/s/mirror/mcp`, call);
    await server.close();
  }
  await using store = await openStore(join(home, 'thimble.db'));
  // Two days, since midnight may have passed meanwhile.
  expect(await readUsage(store, { days: 2 })).toMatchObject([
    { upstream: 'mirror', tool: 'echo', calls: 3, errors: 0 },
  ]);
});

it('takes over a value that was kept after the start when it is told to read them anew', async () => {
  const home = await createHome();
  const mirror = { ...MIRROR, env: { TOKEN: `\${secret:TOKEN}` } };
  await using gateway = await createGateway({ ...PLAIN, mcpServers: { mirror } }, { home });
  expect(gateway.upstreams.all[0]?.state).toMatchObject({ is: 'awaiting_config' });
  await openSecrets(gateway.store).save('TOKEN', 'value');
  await gateway.refresh();
  await gateway.upstreams.all[0]?.firstContact;
  expect(gateway.upstreams.all[0]?.manifest?.lists.tool).toHaveLength(2);
});

/** A gateway that waits for kept values whenever its first configuration is applied. */
async function createRefreshed() {
  const home = await createHome();
  const first = toServers('first', { TOKEN: `\${secret:TOKEN}` });
  return createGateway(first, { home });
}

function toServers(id: string, env: Record<string, string> = {}) {
  const input = { ...PLAIN, mcpServers: { [id]: { ...MIRROR, enabled: false, env } } };
  return parseConfig(JSON.stringify(input), 'test', CONFIG_PARTS);
}

const idsOf = (gateway: Gateway) => gateway.upstreams.all.map(({ config }) => String(config.id));

it('does not let a refresh undo a new configuration, whichever of the two came first', async () => {
  await using gateway = await createRefreshed();
  await Promise.all([gateway.reload(toServers('second', { TOKEN: `\${secret:TOKEN}` })), gateway.refresh()]);
  expect(idsOf(gateway)).toEqual(['second']);
  await Promise.all([gateway.refresh(), gateway.reload(toServers('third'))]);
  expect(idsOf(gateway)).toEqual(['third']);
});

it('takes a configuration over after one that could not be', async () => {
  await using gateway = await createRefreshed();
  const { exposure, ...rest } = toServers('broken');
  const refused = gateway.reload({
    ...rest,
    exposure: { ...exposure, activate: { ...exposure.activate, default: 'nobody' } },
  });
  const taken = gateway.reload(toServers('second'));
  await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await taken;
  expect(idsOf(gateway)).toEqual(['second']);
});

it('keeps kept values from a configuration that came later and is not the person’s own', async () => {
  const home = await createHome();
  const mirror = { ...MIRROR, env: { TOKEN: `\${secret:TOKEN}` } };
  const config = parseConfig(JSON.stringify({ ...PLAIN, mcpServers: { mirror } }), 'test', CONFIG_PARTS);
  await using gateway = await createGateway(PLAIN, { home });
  await openSecrets(gateway.store).save('TOKEN', 'value');
  await gateway.reload(config, { keptValues: false });
  expect(gateway.upstreams.all[0]?.state).toMatchObject({ is: 'awaiting_config' });
  await gateway.refresh();
  expect(gateway.upstreams.all[0]?.state).toMatchObject({ is: 'awaiting_config' });
  await gateway.reload(config, { keptValues: true });
  expect(gateway.upstreams.all[0]?.state).not.toMatchObject({ is: 'awaiting_config' });
});

it('writes the account and closes the store when a part cannot be ended', async () => {
  const home = await createHome();
  const gateway = await createGateway({ ...PLAIN, mcpServers: { mirror: MIRROR } }, { home });
  const server = await gateway.listen({ port: 0 });
  await send(`${server.url}/s/mirror/mcp`, toModern('tools/call', { name: 'echo', arguments: {} }));
  await server.close();
  const end = gateway.upstreams[Symbol.asyncDispose].bind(gateway.upstreams);
  const fails = () => end().then(() => Promise.reject(new Error('will not end')));
  Object.assign(gateway.upstreams, { [Symbol.asyncDispose]: fails });
  await expect(gateway[Symbol.asyncDispose]()).rejects.toThrow('will not end');
  await using store = await openStore(join(home, 'thimble.db'));
  expect(await readUsage(store, { days: 2 })).toMatchObject([{ upstream: 'mirror', tool: 'echo', calls: 1 }]);
});
