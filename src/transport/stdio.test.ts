import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeSessions } from '../../test/support/fake-sessions.ts';
import type { GatewayEvent } from '../events/events.ts';
import { createFeed } from '../events/feed.ts';
import type { JsonObject } from '../model/json.ts';
import { META, MODERN_REVISION } from '../model/mcp.ts';
import { LOCAL_PRINCIPAL } from '../model/principal.ts';
import { DRAIN_MS } from './limits.ts';
import { serveStdio } from './stdio.ts';

function setUp() {
  const input = new PassThrough();
  const output = new PassThrough();
  const sessions = createFakeSessions();
  const onClosed = vi.fn();
  const clock = createFakeClock();
  const feed = createFeed();
  const events: GatewayEvent[] = [];
  feed.on((event) => events.push(event));
  const serving = serveStdio({
    input,
    output,
    sessions,
    endpoint: { kind: 'mode', mode: 'auto', profile: undefined },
    principal: LOCAL_PRINCIPAL,
    onClosed,
    feed,
    lineLimit: 1000,
    clock,
  });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  return {
    input,
    output,
    clock,
    sessions,
    onClosed,
    events,
    serving,
    write: (message: JsonObject) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    next: async () => JSON.parse((await lines.next()).value as string) as JsonObject,
  };
}

const initialize = (id: number) => ({
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

const modern = (id: number, method: string, params: JsonObject = {}) => ({
  id,
  method,
  params: { ...params, _meta: { [META.protocolVersion]: MODERN_REVISION, [META.clientCapabilities]: {} } },
});

describe('stdio', () => {
  it('serves a legacy client after initialize', async () => {
    const { write, next, sessions } = setUp();
    write(initialize(0));
    expect(await next()).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } });
    write({ method: 'notifications/initialized' });
    write({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } });
    expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: '{"a":1}' }] } });
    expect(sessions.notifications).toEqual(['notifications/initialized']);
    sessions.push('notifications/tools/list_changed');
    expect(await next()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} });
  });

  it('serves both eras on one process', async () => {
    const { write, next } = setUp();
    write(modern(1, 'server/discover'));
    expect(await next()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    write(initialize(2));
    expect(await next()).toMatchObject({ id: 2, result: { protocolVersion: '2025-11-25' } });
    write(modern(3, 'tools/call', { name: 'echo' }));
    expect(await next()).toMatchObject({ id: 3, result: { resultType: 'complete' } });
    write({ id: 4, method: 'tools/call', params: { name: 'echo' } });
    expect(Object.keys((await next())['result'] as JsonObject)).toEqual(['content']);
  });

  it('refuses a request before initialize, but answers ping', async () => {
    const { write, next } = setUp();
    write({ id: 1, method: 'tools/list' });
    expect(await next()).toMatchObject({ id: 1, error: { code: -32600, data: { code: 'INVALID_REQUEST' } } });
    write({ id: 2, method: 'ping' });
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  it('lets a client try initialize again after a refusal, and not after a success', async () => {
    const { write, next } = setUp();
    write({ id: 1, method: 'initialize', params: {} });
    expect(await next()).toMatchObject({ id: 1, error: { code: -32602 } });
    write(initialize(2));
    expect(await next()).toMatchObject({ id: 2, result: {} });
    write(initialize(3));
    expect(await next()).toMatchObject({ id: 3, error: { code: -32600 } });
  });

  it('refuses an unknown modern revision with those it speaks', async () => {
    const { write, next } = setUp();
    write({ id: 1, method: 'tools/list', params: { _meta: { [META.protocolVersion]: '2099-01-01' } } });
    expect(await next()).toMatchObject({
      id: 1,
      error: {
        code: -32022,
        data: { requested: '2099-01-01', supported: expect.arrayContaining([MODERN_REVISION]) },
      },
    });
  });

  it('answers garbage and goes on', async () => {
    const { input, write, next } = setUp();
    input.write('garbage\n\n   \n');
    expect(await next()).toMatchObject({ id: null, error: { code: -32700 } });
    input.write('{"jsonrpc":"1.0","id":7}\n');
    expect(await next()).toMatchObject({ id: 7, error: { code: -32600 } });
    input.write('[1,2]\n');
    expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
    input.write(`"${'x'.repeat(2000)}"\n`);
    expect(await next()).toMatchObject({ id: null, error: { data: { code: 'BODY_TOO_LARGE' } } });
    write({ id: 9, method: 'ping' });
    expect(await next()).toMatchObject({ id: 9, result: {} });
  });

  it('cancels a running request and does not answer it', async () => {
    const { write, next, sessions } = setUp();
    write(modern(1, 'tools/call', { name: 'hang' }));
    await sessions.running();
    write({ method: 'notifications/cancelled', params: { requestId: 1 } });
    write({ id: 2, method: 'ping' });
    expect(await next()).toMatchObject({ id: 2 });
    expect(sessions.aborted).toEqual([1]);
  });

  it('asks a legacy client while its request runs', async () => {
    const { write, next } = setUp();
    write(initialize(0));
    await next();
    write({ id: 1, method: 'tools/call', params: { name: 'ask' } });
    const question = await next();
    expect(question).toMatchObject({ method: 'elicitation/create' });
    write({ id: question['id'], result: { action: 'accept', content: { name: 'Ada' } } });
    expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: '{"name":"Ada"}' }] } });
  });

  it('hides a bug from the client and publishes it under the id the client got', async () => {
    const { write, next, events } = setUp();
    write(modern(1, 'tools/call', { name: 'bug' }));
    const answer = await next();
    const fault = ((answer['error'] as JsonObject)['data'] as JsonObject)['fault'] as string;
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(events).toMatchObject([{ type: 'fault', fault, error: expect.any(TypeError) }]);
  });

  it('answers what was asked before the input ended, then closes', async () => {
    const { input, write, next, sessions, onClosed } = setUp();
    write(modern(1, 'tools/call', { name: 'hang' }));
    await sessions.running();
    input.end();
    sessions.release();
    expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: 'released' }] } });
    await expect.poll(() => onClosed).toHaveBeenCalledTimes(1);
    expect(sessions.aborted).toEqual([]);
  });

  it('closes its sessions when the input has ended and the rest takes too long, and says so once', async () => {
    const { input, write, next, sessions, onClosed, serving, clock } = setUp();
    write(initialize(0));
    await next();
    write(modern(1, 'tools/call', { name: 'hang' }));
    await sessions.running();
    input.end();
    await clock.advance(DRAIN_MS - 1);
    expect(onClosed).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(onClosed).toHaveBeenCalledTimes(1);
    expect(sessions.aborted).toEqual([1]);
    expect(sessions.live).toBe(0);
    await serving.close();
    expect(onClosed).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a signal', ({ serving }: ReturnType<typeof setUp>) => void serving.stop()],
    ['the end of the output', ({ output }: ReturnType<typeof setUp>) => output.destroy(new Error('EPIPE'))],
  ])('waits no longer for the rest after %s', async (_what, end) => {
    const parts = setUp();
    parts.write(modern(1, 'tools/call', { name: 'hang' }));
    await parts.sessions.running();
    parts.input.end();
    await parts.clock.advance(1);
    end(parts);
    await expect.poll(() => parts.onClosed).toHaveBeenCalledTimes(1);
    expect(parts.sessions.aborted).toEqual([1]);
    await expect.poll(() => parts.clock.waiting).toBe(0);
  });
});
