import { describe, expect, it } from 'vitest';
import { listen } from '../../../test/support/http-server.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { isInsideAddress } from './inside.ts';

/** A server out in the network, which is never dialled here. */
const OUTSIDE = new URL('https://93.184.216.34/mcp');

describe('addresses', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1%eth0',
    'ff02::1',
    'not-an-address',
  ])('%s is inside', (address) => expect(isInsideAddress(address)).toBe(true));

  it.each([
    '93.184.216.34',
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is outside', (address) => expect(isInsideAddress(address)).toBe(false));
});

describe('an address that a server named', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'https://127.0.0.1/token',
    'https://[::1]/token',
    'https://0x7f000001/token',
    'https://2130706433/token',
    'https://localhost/token',
    'http://93.184.216.35/token',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'gopher://127.0.0.1/',
  ])('is left alone when it is %s and the server is outside', async (address) => {
    const local = await listen((_request, response) => response.end());
    await expect(createGuardedFetch(OUTSIDE)(address)).rejects.toMatchObject({ name: 'GatewayError' });
    expect(local.seen).toEqual([]);
    await local.close();
  });

  it('is left alone when the server is inside by one of its addresses only, or by none that is known', async () => {
    const local = await listen((_request, response) => response.end());
    const answers = [['127.0.0.1', '93.184.216.34'], []];
    for (const found of answers) {
      const fetch = createGuardedFetch(new URL('https://mixed.example/mcp'), async () => found);
      await expect(fetch(local.origin)).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
    }
    expect(local.seen).toEqual([]);
    await local.close();
  });

  it('is fetched for a server inside, once its name can be looked up', async () => {
    const local = await listen((_request, response) => response.end('{}'));
    const answers = [Promise.reject(new Error('no answer')), Promise.resolve(['127.0.0.1'])];
    const fetch = createGuardedFetch(new URL('https://inside.example/mcp'), () => answers.shift() ?? []);
    await expect(fetch(local.origin)).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
    expect((await fetch(local.origin)).status).toBe(200);
    expect((await fetch(local.origin)).status).toBe(200);
    await local.close();
  });

  it('is fetched without its redirects, and no more of it than we hold', async () => {
    const server = await listen((request, response) => {
      if (request.url === '/big') return response.end('x'.repeat(2 * 1024 * 1024));
      if (request.url === '/go') return response.writeHead(302, { Location: '/big' }).end();
      return response.writeHead(201, { 'X-Said': 'yes' }).end('{"ok":true}');
    });
    const fetch = createGuardedFetch(new URL(server.origin));
    const response = await fetch(server.origin, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
    expect([response.status, response.headers.get('x-said'), await response.json()]).toEqual([
      201,
      'yes',
      { ok: true },
    ]);
    expect(server.seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect((await fetch(`${server.origin}/go`)).status).toBe(302);
    await expect(fetch(`${server.origin}/big`)).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
    await server.close();
    await expect(fetch('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});
