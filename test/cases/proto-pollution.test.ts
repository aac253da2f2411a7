/** Keys and names that are members of prototypes: plain data wherever they come in, and nothing else changes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { GatewayError } from '../../src/errors/gateway-error.ts';
import { CONFIG_PARTS } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type HttpGateway, openHttpGateway, servesOn } from './http-gateway.ts';
import { readCases } from './shared.ts';

interface Pollution {
  readonly id: string;
  readonly raw: string;
  readonly why: string;
}

const shapeOf = () =>
  [Object.prototype, Array.prototype, Function.prototype, String.prototype].map((prototype) =>
    Reflect.ownKeys(prototype).map(String),
  );
const before = shapeOf();
const all = readCases<Pollution>('proto_pollution').map((pollution) => ({
  ...pollution,
  value: JSON.parse(pollution.raw) as JsonObject,
}));
const isMessage = (value: JsonObject) => typeof value['method'] === 'string';
const isConfig = (value: JsonObject) => value['mcpServers'] !== undefined;

let http: HttpGateway;
beforeAll(async () => {
  http = await openHttpGateway();
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
});
afterEach(() => {
  expect(shapeOf()).toEqual(before);
  for (const key of ['polluted', 'isAdmin', 'role', 'scopes']) expect(Reflect.get({}, key)).toBeUndefined();
});

describe.each(all.filter(({ value }) => isMessage(value)))('$id $why', ({ raw, value }) => {
  it('is served as plain data or refused, and costs the next request nothing', async () => {
    const opens = value['method'] === 'initialize';
    const answer = await http.post(raw, opens ? { 'mcp-session-id': undefined } : {});
    const { error, result } = answer.json as { error?: JsonObject; result?: JsonObject };
    if (error) expect([-32601, -32602]).toContain(error['code']);
    else if (!opens) expect(withoutToken(seenOf(result))).toBe(withoutToken(JSON.stringify(value['params'])));
    expect(answer.status).toBeLessThan(500);
    expect(await servesOn(http)).toBe(true);
  });
});

describe.each(all.filter(({ value }) => isConfig(value)))('$id $why', ({ raw }) => {
  it('makes a configuration of plain data, or is refused with where and why', () => {
    try {
      const { upstreams } = parseConfig(raw, 'thimble.json', CONFIG_PARTS);
      for (const { id } of upstreams) expect(Object.hasOwn(Object.prototype, id)).toBe(false);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect((error as GatewayError).code).toBe('CONFIG_INVALID');
    }
  });
});

describe.each(all.filter(({ value }) => value['result'] !== undefined))('$id $why', ({ value }) => {
  it('reaches the client as it was said', async () => {
    const result = value['result'] as JsonObject;
    const lists = result['tools'] !== undefined;
    await using gateway = await openHttpGateway(lists ? '--list' : '--result', JSON.stringify(result));
    const method = lists ? 'tools/list' : 'tools/call';
    const params = lists ? {} : { name: 'echo', arguments: {} };
    const answer = await gateway.post({ jsonrpc: '2.0', id: 1, method, params });
    const member = lists ? 'tools' : 'structuredContent';
    const got = (answer.json['result'] as JsonObject)[member];
    // Tools get a public name; everything else is their server's word.
    expect(JSON.stringify(got)).toBe(JSON.stringify(result[member]));
  });
});

/** What the server behind was sent, as it saw it. */
function seenOf(result: JsonObject | undefined): string {
  const [first] = (result?.['content'] ?? []) as JsonObject[];
  return String(first?.['text']);
}

/** Every request asks for progress; what else it says must arrive as it was. */
function withoutToken(params: string): string {
  return params.replace(/,?"progressToken":\d+/, '').replace(/,"_meta":\{\}/, '');
}
