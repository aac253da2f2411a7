import { describe, expect, it } from 'vitest';
import { listen, startSseServer } from '../../../../test/support/http-server.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { openTestConnection, runConnectorContract } from '../../connector.contract.ts';
import type { Credentials } from '../../credentials/credentials.ts';
import { createSseChannel } from '../../http/sse-channel.ts';
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

  it('ends when its login has ended, though an earlier request was given up unanswered', async () => {
    const server = await listen((request, response) => {
      if (request.method === 'POST')
        return void response.writeHead(request.headers['authorization'] === 'old' ? 401 : 202).end();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
    });
    let authorization = 'good';
    const ended = new GatewayError('UPSTREAM_AUTH', 'wants a login', { data: { ended: true } });
    const credentials: Credentials = {
      headersFor: () => ({ Authorization: authorization }),
      onUnauthorized: () => Promise.reject(ended),
      giveUp() {},
      hasUntried: async () => false,
      async logIn() {},
    };
    const channel = createSseChannel({
      url: new URL(server.origin),
      headers: {},
      credentials,
      limitBytes: 1_000_000,
    });
    const failed: unknown[] = [];
    const closed = new Promise((resolve) => {
      channel.open({ message() {}, failed: (id) => failed.push(id), closed: resolve });
    });
    channel.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await expect.poll(() => server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    channel.abandon?.(1);
    authorization = 'old';
    channel.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(await closed).toMatchObject({ kind: 'failed', message: 'wants a login' });
    expect(failed).toEqual([2]);
    await server.close();
  });
});
