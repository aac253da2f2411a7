import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { toInputParts } from './input-parts.ts';
import { mergeParameters } from './merge-parameters.ts';

/** Merges input schemas by action. */
function merge(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  const members = Object.entries(schemas).map(([action, inputSchema]) => {
    const input = toInputParts({ name: action, inputSchema });
    if (!input) throw new Error(`${action} cannot be taken apart`);
    return { action, input };
  });
  return mergeParameters(members)?.schema ?? {};
}

const object = (
  properties: JsonObject,
  required: readonly string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const text = (description: string, more: JsonObject = {}) => ({ type: 'string', description, ...more });

describe('parameters of several tools', () => {
  it('stand once where they are alike, with whom they count for and who requires them', () => {
    const schema = merge({
      create: object({ owner: text('Who owns it'), title: text('Short and clear') }, ['owner', 'title']),
      get: object({ owner: text('Who owns it'), number: { type: 'integer' } }, ['owner', 'number']),
      list: object({ owner: text('Who owns it'), page: { type: 'integer' } }, ['owner']),
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['create', 'get', 'list'] },
        owner: { type: 'string', description: 'Who owns it' },
        title: { type: 'string', description: 'create*: Short and clear' },
        number: { type: 'integer', description: 'get*' },
        page: { type: 'integer', description: 'list' },
      },
      required: ['action', 'owner'],
    });
  });

  it('say who requires them where not all do', () => {
    const { properties } = merge({
      a: object({ x: { type: 'string' } }, ['x']),
      b: object({ x: { type: 'string' } }),
      c: object({ x: { type: 'string' } }),
      d: object({}),
    });
    expect(properties).toMatchObject({ x: { description: 'a*, b, c' } });
    const all = merge({ a: object({ x: {} }, ['x']), b: object({ x: {} }), c: object({ x: {} }) });
    expect(all['properties']).toMatchObject({ x: { description: 'all, a*' } });
  });

  it('become alternatives where they differ, and keep defaults that differ in words', () => {
    const { properties } = merge({
      get: object({ id: { type: 'string' }, limit: { type: 'integer', default: 10 } }, ['id']),
      list: object({ id: { type: 'integer' }, limit: { type: 'integer', default: 20 } }, ['id']),
    });
    expect(properties).toMatchObject({
      id: {
        anyOf: [
          { type: 'string', description: 'get' },
          { type: 'integer', description: 'list' },
        ],
      },
      limit: { type: 'integer', description: 'default 10 (get), 20 (list)' },
    });
  });

  it('keep what a value must respect and lose what only takes room', () => {
    const { properties } = merge({
      a: object(
        {
          kind: { title: 'Kind', type: 'string', enum: ['x', 'y'], default: 'x', description: 'The kind' },
          size: {
            type: 'integer',
            minimum: 1,
            maximum: 9007199254740991,
            description: 'How many\nat\u0007 most.',
          },
          title: {
            type: 'object',
            properties: { title: text('A name people read') },
            additionalProperties: false,
          },
        },
        ['kind'],
      ),
      b: object({}),
    });
    expect(properties).toMatchObject({
      kind: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'a*' },
      size: { type: 'integer', minimum: 1, description: 'a: How many at most' },
      title: { type: 'object', properties: { title: { description: 'A name people read' } } },
    });
    expect(JSON.stringify(properties)).not.toContain('9007199254740991');
  });

  it('take one text where each tool says its own', () => {
    const { properties } = merge({
      delete: object({ gid: text('The key of the row to delete') }, ['gid']),
      update: object({ gid: text('The key of the row to update') }, ['gid']),
    });
    expect(properties).toMatchObject({ gid: { description: 'The key of the row' } });
  });

  it('find what they refer to, also where two tools mean different things by one name', () => {
    const ref = { $ref: '#/$defs/Item' };
    const schema = merge({
      a: object({ one: ref }, [], { $defs: { Item: { type: 'string', enum: ['a'] } } }),
      b: object({ two: ref }, [], { $defs: { Item: { type: 'array', items: ref } } }),
      c: object({ one: ref }, [], { $defs: { Item: { type: 'string', enum: ['a'] } } }),
    });
    expect(schema['$defs']).toEqual({
      Item: { type: 'string', enum: ['a'] },
      Item2: { type: 'array', items: { $ref: '#/$defs/Item2' } },
    });
    expect(schema['properties']).toMatchObject({
      one: { $ref: '#/$defs/Item' },
      two: { $ref: '#/$defs/Item2' },
    });
  });

  it('may refer into themselves', () => {
    const tree = {
      type: 'object',
      properties: { leaf: { type: 'string' }, next: { $ref: '#/properties/tree/properties/leaf' } },
    };
    const alike = merge({ a: object({ tree }), b: object({ tree }) });
    expect(alike['$defs']).toBeUndefined();
    const apart = merge({ a: object({ tree }), b: object({ tree: { type: 'string' } }) });
    expect(new Ajv2020({ strict: false }).validate(apart, { action: 'a', tree: { next: 5 } })).toBe(false);
    expect(apart['$defs']).toEqual({ leaf: { type: 'string' } });
  });
});

describe('a tool stays as it is when its input', () => {
  it.each<[string, JsonObject]>([
    ['has an action of its own', object({ action: { type: 'string' } })],
    ['is a choice at the top', { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] }],
    ['is a reference', { $ref: '#/$defs/x', $defs: { x: { type: 'object' } } }],
    ['takes names by a pattern', { type: 'object', patternProperties: { '^x': {} } }],
    ['requires what it does not describe', object({}, ['ghost'])],
    ['refers to another document', object({ a: { $ref: 'https://example.com/x.json' } })],
    ['names places of its own', object({ a: { $id: 'x', type: 'string' } })],
    ['is written in an older dialect', object({ a: { type: 'array', items: [{ type: 'string' }] } })],
    [
      'describes further members',
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    ],
  ])('%s', (_why, inputSchema) => {
    expect(toInputParts({ name: 'x', inputSchema })).toBeUndefined();
  });

  it('belongs to a page, or runs only as a task', () => {
    const inputSchema = object({});
    expect(
      toInputParts({ name: 'x', inputSchema, _meta: { ui: { resourceUri: 'ui://x' } } }),
    ).toBeUndefined();
    expect(toInputParts({ name: 'x', inputSchema, execution: { taskSupport: 'required' } })).toBeUndefined();
    expect(toInputParts({ name: 'x', inputSchema, execution: { taskSupport: 'optional' } })).toBeDefined();
  });
});

it('takes every call that its tool takes', () => {
  const parts: readonly { schema: JsonObject; value: JsonValue }[] = [
    { schema: { type: 'string' }, value: 'x' },
    { schema: { type: 'string', enum: ['a', 'b'] }, value: 'b' },
    { schema: { type: 'integer', minimum: 3 }, value: 3 },
    { schema: { $ref: '#/$defs/D' }, value: 'd' },
    { schema: { type: 'array', items: { $ref: '#/$defs/D' } }, value: ['d'] },
    {
      schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      value: { title: 't' },
    },
  ];
  const definition = fc.constantFrom<JsonObject>(
    { type: 'string' },
    { enum: ['d', 1] },
    { anyOf: [{ const: 'd' }] },
  );
  const tool = fc.record({
    parameters: fc.dictionary(
      fc.constantFrom('a', 'b', 'title', 'description', '__proto__'),
      fc.constantFrom(...parts),
    ),
    needed: fc.boolean(),
    definition,
  });
  fc.assert(
    fc.property(fc.array(tool, { minLength: 2, maxLength: 5 }), (tools) => {
      const schemas = tools.map(({ parameters, needed, definition: D }) =>
        object(
          Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema])),
          needed ? Object.keys(parameters) : [],
          { $defs: { D } },
        ),
      );
      const merged = merge(Object.fromEntries(schemas.map((schema, at) => [`do${at}`, schema])));
      const validate = new Ajv2020({ strict: false }).compile(merged);
      for (const [at, { parameters }] of tools.entries()) {
        const values = Object.entries(parameters).map(([name, { value }]) => [name, value] as const);
        expect(validate({ action: `do${at}`, ...Object.fromEntries(values) }), JSON.stringify(merged)).toBe(
          true,
        );
      }
      expect(validate({ action: 'other' })).toBe(false);
    }),
    { numRuns: 50 },
  );
});
