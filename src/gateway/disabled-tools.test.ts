import { expect, it } from 'vitest';
import { withoutOwn } from '../../test/support/plain-config.ts';
import { fixture } from '../../test/support/program.ts';
import { send, toModern } from '../../test/support/raw-http.ts';
import { parseConfig } from '../config/parse.ts';
import { CONFIG_PARTS, createGateway } from '../gateway.ts';
import type { JsonObject } from '../model/json.ts';

const toConfig = (disabledTools: readonly string[]) =>
  parseConfig(
    JSON.stringify(
      withoutOwn({
        mcpServers: {
          mirror: {
            command: process.execPath,
            args: [fixture('mirror.mjs')],
            disabledTools: [...disabledTools],
          },
        },
      }),
    ),
    'test',
    CONFIG_PARTS,
  );

const namesOf = (json: JsonObject) =>
  (json['result'] as { tools: { name: string }[] }).tools.map(({ name }) => name);

it('switches a tool off and on at every address while the gateway runs, without starting the server anew', async () => {
  await using gateway = await createGateway(toConfig([]));
  const server = await gateway.listen({ port: 0 });
  try {
    const [mirror] = gateway.upstreams.all;
    await mirror?.firstContact;
    const { pid } = (await mirror?.status()) ?? {};
    const list = async (path: string) =>
      namesOf((await send(server.url + path, toModern('tools/list'))).json);
    const call = (path: string, name: string, args: JsonObject) =>
      send(server.url + path, toModern('tools/call', { name, arguments: args }));
    expect(await list('/mcp/direct')).toEqual(['echo', 'execute']);
    await gateway.reload(toConfig(['echo']));
    for (const path of ['/mcp/direct', '/s/mirror/mcp']) {
      expect(await list(path)).toEqual(['execute']);
      expect((await call(path, 'echo', {})).text).toContain('TOOL_DISABLED');
    }
    const routed = await call('/router/mcp', 'thimble_tools', { action: 'mirror:echo' });
    expect(routed.text).toContain('thimble server enable mirror --tool echo');
    expect((await gateway.health()).toolCounts.total).toBe(1);
    await gateway.reload(toConfig([]));
    expect((await call('/s/mirror/mcp', 'echo', {})).status).toBe(200);
    expect(await list('/s/mirror/mcp')).toEqual(['echo', 'execute']);
    expect((await gateway.upstreams.all[0]?.status())?.pid).toBe(pid);
    expect(pid).toBeDefined();
  } finally {
    await server.close();
  }
});
