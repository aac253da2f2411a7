import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PLAIN } from '../../test/support/plain-config.ts';
import { fixture } from '../../test/support/program.ts';
import { send, toModern } from '../../test/support/raw-http.ts';
import { createGateway } from '../gateway.ts';
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
  expect(await readUsage(store, { days: 1 })).toMatchObject([
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
