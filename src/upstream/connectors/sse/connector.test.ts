import { describe, expect, it } from 'vitest';
import { listen, startSseServer } from '../../../../test/support/http-server.ts';
import { openTestConnection, runConnectorContract } from '../../connector.contract.ts';
import { sse } from './connector.ts';

runConnectorContract({
  connector: sse,
  era: 'legacy',
  async start() {
    const server = await startSseServer();
    return { options: { url: server.url }, breakLink: server.close, stop: server.close };
  },
});

describe('the sse connector', () => {
  it('refuses an endpoint at another origin', async () => {
    const server = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('event: endpoint\ndata: http://evil.example/messages\n\n');
    });
    await expect(openTestConnection(sse, { url: `${server.origin}/sse` })).rejects.toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      message: expect.stringContaining('another origin'),
    });
    await server.close();
  });

  it('reports a refusal for want of credentials as such', async () => {
    const server = await listen((_request, response) => response.writeHead(401).end());
    await expect(openTestConnection(sse, { url: server.origin })).rejects.toMatchObject({
      code: 'UPSTREAM_AUTH',
    });
    await server.close();
  });
});
