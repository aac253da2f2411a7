/** What every connector promises, as tests: the same for a program, a URL and a server inside. */
import { describe, expect, it } from 'vitest';
import { createCall } from '../../test/support/contexts.ts';
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { Era } from '../model/mcp.ts';
import { openConnection } from './connection.ts';
import { readManifest } from './manifest.ts';
import type { Connection, Connector } from './upstream.ts';

/** A server with the echo tools, ready to be reached. */
interface ServerUnderTest {
  readonly options: JsonObject;
  /** Makes the server end, or its link break, by itself; undefined where nothing can. */
  readonly breakLink?: () => Promise<void> | void;
  stop?(): Promise<void>;
}

/** One row of the suite: a connector, an era, and how to start a server for them. */
export interface ConnectorCase {
  readonly connector: Connector;
  readonly era: Era;
  readonly title?: string;
  start(): Promise<ServerUnderTest>;
}

/** Opens a connection as an instance would. */
export function openTestConnection(
  connector: Connector,
  options: JsonObject,
  more: {
    readonly era?: Era;
    readonly hint?: Era;
    readonly clock?: Clock;
    readonly secrets?: readonly string[];
  } = {},
): Promise<Connection> {
  const { PATH = '' } = process.env;
  const { clock = systemClock } = more;
  return openConnection({
    name: 'under-test',
    open: (signal) => connector.open(options, { signal, baseEnv: { PATH }, clock, secrets: more.secrets }),
    era: more.era,
    hint: more.hint,
    // Long enough also on a clock that runs fast.
    timeoutOf: () => 1_200_000,
    self: { name: 'thimble', version: '0' },
    declares: {},
    clock,
    signal: AbortSignal.timeout(60_000),
  });
}

/** Runs the suite for one case. */
export function runConnectorContract({ connector, era, title, start }: ConnectorCase): void {
  async function withConnection(run: (connection: Connection, server: ServerUnderTest) => Promise<void>) {
    const server = await start();
    try {
      await using connection = await openTestConnection(connector, server.options);
      await run(connection, server);
    } finally {
      await server.stop?.();
    }
  }
  const call = (connection: Connection, name: string, args: JsonObject = {}, ctx = createCall()) =>
    connection.request('tools/call', { name, arguments: args }, ctx);

  describe(`the ${connector.kind} connector with a ${era} server${title ? ` (${title})` : ''}`, () => {
    it('finds out the era, and hears who the server is', () =>
      withConnection(async ({ hello }) => {
        expect(hello).toMatchObject({ era, serverInfo: { name: 'echo', version: '1.0.0' } });
        expect(hello.capabilities).toHaveProperty('tools');
      }));

    it('lists tools, whole', () =>
      withConnection(async (connection) => {
        const { manifest, remarks } = await readManifest(connection, createCall());
        const echo = manifest.lists.tool.find((tool) => tool['name'] === 'echo');
        expect(echo).toMatchObject({ futureField: { kept: true } });
        expect(remarks).toEqual([]);
      }));

    it('keeps unknown fields of results', () =>
      withConnection(async (connection) => {
        const result = await call(connection, 'echo', { text: 'héllo\u2028 世界' });
        expect(result).toMatchObject({
          content: [{ type: 'text', text: 'héllo\u2028 世界' }],
          structuredContent: { said: 'héllo\u2028 世界' },
          vendorField: [1, { two: 2 }],
        });
      }));

    it("passes a server's error on with its code and data", () =>
      withConnection(async (connection) => {
        const failure = await call(connection, 'fail').catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(RpcError);
        expect(failure).toMatchObject({ code: -32077, data: { why: 'it was told to' } });
      }));

    it('brings progress to the caller under its own token', () =>
      withConnection(async (connection) => {
        const ctx = createCall();
        const params = { name: 'slow', arguments: { steps: 3 }, _meta: { progressToken: 'mine' } };
        await connection.request('tools/call', params, ctx);
        expect(ctx.heard.map(({ params: { progressToken, progress } }) => [progressToken, progress])).toEqual(
          [
            ['mine', 1],
            ['mine', 2],
            ['mine', 3],
          ],
        );
      }));

    it('tells the server of a cancellation, and goes on', () =>
      withConnection(async (connection) => {
        const ctx = createCall();
        const started = new Promise<void>((resolve) => {
          Object.assign(ctx.client, { notify: () => resolve() });
        });
        const params = { name: 'slow', arguments: { steps: 1, wait: true }, _meta: { progressToken: 1 } };
        const running = connection.request('tools/call', params, ctx);
        await started;
        ctx.cancel();
        await expect(running).rejects.toThrow('cancelled by the test');
        await expect
          .poll(() => call(connection, 'cancellations'))
          .toMatchObject({ content: [{ text: '1' }] });
      }));

    it('answers many calls at once, each with its own answer', () =>
      withConnection(async (connection) => {
        const texts = Array.from({ length: 50 }, (_, at) => `call ${at}`);
        const results = await Promise.all(texts.map((text) => call(connection, 'echo', { text })));
        expect(results.map((result) => result['structuredContent'])).toEqual(texts.map((said) => ({ said })));
      }));

    it('rejects calls with a typed error once it is closed, and says so once', () =>
      withConnection(async (connection) => {
        await connection[Symbol.asyncDispose]();
        expect(await connection.closed).toMatchObject({ kind: 'closed' });
        const failure = await call(connection, 'echo').catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(GatewayError);
        expect(failure).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', data: { upstream: 'under-test' } });
      }));

    it('rejects what is running when the server goes away', () =>
      withConnection(async (connection, server) => {
        if (server.breakLink === undefined) return;
        const ctx = createCall();
        const started = new Promise<void>((resolve) => {
          Object.assign(ctx.client, { notify: () => resolve() });
        });
        const params = { name: 'slow', arguments: { steps: 1, wait: true }, _meta: { progressToken: 1 } };
        const running = connection.request('tools/call', params, ctx).catch((error: unknown) => error);
        await started;
        await server.breakLink();
        const failure = await running;
        expect(failure).toBeInstanceOf(GatewayError);
        expect((failure as GatewayError).row.blame).toBe('upstream');
      }));

    it('refuses options it does not know', async () => {
      const server = await start();
      const opening = openTestConnection(connector, { ...server.options, nonsense: 1 });
      await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await server.stop?.();
    });
  });
}
