import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../test/support/quickest.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { createArgumentCheck } from './argument-check.ts';

const toTool = (inputSchema: JsonObject) => ({ definition: { name: 'x', inputSchema } }) as unknown as Entry;
const check = (inputSchema: JsonObject, args: JsonObject) =>
  createArgumentCheck().check(toTool(inputSchema), args);
const checkText = (pattern: string, text: string) =>
  check({ type: 'object', properties: { text: { type: 'string', pattern } } }, { text });

it.each([
  '^a*a*a*a*b$',
  'a*a*b',
  '^[a]+a{0,900}a{0,900}a{900}b$',
  `^${'a?'.repeat(40)}${'a'.repeat(40)}b$`,
  `^${'(a|a)'.repeat(40)}b$`,
  '^(a+)+$b',
  '^(a+)\\1+b$',
])('leaves to the server what would take long to match: %s', async (pattern) => {
  await checkText('^a$', 'a');
  const took = await quickestOf(3, async () => {
    for (const length of [40, 300, 2_000]) await checkText(pattern, 'a'.repeat(length));
  });
  expect(took).toBeLessThan(1_000);
});

it.each([
  ['^[a-z]+$', 'A1'],
  ['^[^@]+@[^@]+\\.[^@]+$', 'nobody'],
  ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', '1234'],
  ['^(red|green|blue)$', 'pink'],
  ['^\\d{4}-\\d{2}-\\d{2}$', 'today'],
  ['^\\(\\)+[)+]+$', 'x'],
])('tells a text that does not match %s', async (pattern, text) => {
  expect(await checkText(pattern, text)).toEqual([
    { path: 'text', problem: expect.stringContaining('match') },
  ]);
});

it.each<[JsonObject, string]>([
  [{ properties: { a: { $ref: '#/$defs/gone' } } }, '"#/$defs/gone" leads nowhere'],
  [{ patternProperties: { '^(z+)+$': { type: 'string' } } }, '"^(z+)+$" may take too long to match'],
  [{ description: 'x'.repeat(300_000) }, 'it is too large'],
  [{ properties: { a: { $ref: 'https://example.org/a.json' } } }, expect.stringContaining('example.org')],
  [{ properties: { a: { pattern: '(' } } }, expect.stringContaining('(')],
])('tells once of a schema it cannot use, and lets the server judge: %#', async (schema, reason) => {
  const told: string[] = [];
  const { check: checkWith } = createArgumentCheck((_entry, why) => told.push(why));
  const tool = toTool({ type: 'object', ...schema });
  expect(await Promise.all([checkWith(tool, { a: 1 }), checkWith(tool, {})])).toEqual([[], []]);
  expect(told).toEqual([reason]);
});

it('tells nothing of a schema whose parts refer to one another in whatever way', async () => {
  const told: string[] = [];
  const { check: checkWith } = createArgumentCheck((_entry, why) => told.push(why));
  const inner = {
    $id: 'inner',
    $defs: { text: { type: 'string' } },
    properties: { x: { $ref: '#/$defs/text' } },
  };
  const data = { default: { $ref: '#/nowhere' } };
  const properties = { data, a: { $ref: '#/$defs/a~1b' }, b: { $ref: '#named' }, c: inner, d: { $ref: '#' } };
  const $defs = { 'a/b': { type: 'string' }, named: { $anchor: 'named', type: 'string' } };
  const faults = await checkWith(toTool({ type: 'object', properties, $defs }), { a: 1, b: 1, c: { x: 1 } });
  expect(faults.map(({ path }) => path)).toEqual(['a', 'b', 'c.x']);
  expect(told).toEqual([]);
});

describe('a value that no branch of a union takes', () => {
  const address = {
    type: 'object',
    properties: { street: { type: 'string' }, city: { type: 'string' } },
    required: ['street', 'city'],
  };
  const point = { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] };
  const marked = (kind: string, name: string) => ({
    type: 'object',
    properties: { kind: { const: kind }, [name]: { type: 'string' } },
    required: ['kind', name],
  });
  const faultsOf = async (x: JsonObject, value: JsonValue) => {
    const schema = { type: 'object', properties: { x }, $defs: { address, point } };
    return (await check(schema, { x: value })).map(({ path, problem }) => `${path}: ${problem}`);
  };

  it.each<[JsonObject, JsonValue, string[]]>([
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, ['x: has to be string or null']],
    [{ anyOf: [{ const: 'a' }, { enum: ['b'] }, { type: 'null' }] }, 5, ['x: has to be "a" or "b" or null']],
    [{ anyOf: [address, { type: 'null' }] }, {}, ['x: "street" is missing', 'x: "city" is missing']],
    [{ anyOf: [{ $ref: '#/$defs/address' }, { type: 'null' }] }, { street: '' }, ['x: "city" is missing']],
    [{ oneOf: [{ $ref: '#/$defs/address' }, { $ref: '#/$defs/point' }] }, {}, ['x: "at" is missing']],
    [{ oneOf: [marked('a', 'one'), marked('b', 'two')] }, { kind: 'b' }, ['x: "two" is missing']],
    [{ oneOf: [marked('a', 'one'), marked('b', 'two')] }, { kind: 'c' }, ['x.kind: has to be "a" or "b"']],
    [
      { anyOf: [{ type: 'null' }, { type: 'array', items: { anyOf: [{ type: 'string' }, address] } }] },
      ['', 1],
      ['x[1]: has to be string or object'],
    ],
    [
      { type: 'object', required: ['id'], anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }] },
      {},
      ['x: "c" is missing', 'x: "id" is missing'],
    ],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 1, ['x: must match exactly one schema in oneOf']],
  ])('is told by the closest branch: %j, %j', async (x, value, faults) => {
    expect(await faultsOf(x, value)).toEqual(faults);
  });
});
