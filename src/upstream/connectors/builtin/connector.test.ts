import { describe, expect, it } from 'vitest';
import { createSdkServer, createSdkV1Server } from '../../../../test/support/sdk-servers.ts';
import { openTestConnection, runConnectorContract } from '../../connector.contract.ts';
import { createBuiltin, type HostedServer, type HostedServers } from './connector.ts';

function host(create: () => HostedServer): { hosted: HostedServers; links: HostedServer[] } {
  const links: HostedServer[] = [];
  const make = () => {
    const server = create();
    links.push(server);
    return server;
  };
  return { hosted: new Map([['echo', make]]), links };
}

for (const [title, create] of [
  ['SDK v1', createSdkV1Server],
  ['SDK v2', createSdkServer],
] as const) {
  const { hosted, links } = host(() => create());
  runConnectorContract({
    connector: createBuiltin(hosted),
    era: 'legacy',
    title,
    start: async () => ({
      options: { server: 'echo' },
      breakLink: () => (links.at(-1) as unknown as { close(): Promise<void> }).close(),
    }),
  });
}

describe('the builtin connector', () => {
  it('names the nearest server when there is none of that name', async () => {
    const { hosted } = host(() => createSdkServer());
    await expect(openTestConnection(createBuiltin(hosted), { server: 'ecko' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'under-test: there is no built-in server "ecko" (did you mean "echo"?)',
    });
  });
});
