import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { openMode } from '../exposure.contract.ts';
import { createLineMaker, toActionLine } from './manifest.ts';
import { category } from './mode.ts';

const text = { type: 'string' };

async function lineOf(name: string, inputSchema: JsonObject, description?: string): Promise<string> {
  const tool = { name, inputSchema, ...(description === undefined ? {} : { description }) };
  const [entry] = openMode(category, { x: { tools: [tool] } })
    .view()
    .list('tool');
  if (!entry) throw new Error('there is no tool');
  return toActionLine(entry).brief;
}

const typed = (property: JsonObject, more: JsonObject = {}) =>
  lineOf('do', { type: 'object', properties: { p: property }, required: ['p'], ...more });

describe('a line of the manifest', () => {
  it('names required parameters first, then optional ones', async () => {
    const properties = { labels: { type: 'array' }, owner: text, state: text, title: text };
    expect(await lineOf('create', { type: 'object', properties, required: ['title', 'owner'] })).toBe(
      'create(title,owner,labels?,state?)',
    );
  });

  it('names a required parameter that is not described', async () => {
    expect(await lineOf('get', { type: 'object', required: ['toString', 5] })).toBe('get(toString: any)');
  });

  it.each([undefined, true, 'object', [], { properties: 5, required: {} }])(
    'bears a schema that is %j',
    async (schema) => {
      expect(await lineOf('get', schema as JsonObject)).toBe('get()');
    },
  );

  it.each([
    [{ type: 'string', maxLength: 5 }, 'do(p)'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'do(p: integer 1..9)'],
    [{ type: 'boolean' }, 'do(p: boolean)'],
    [{ type: 'array', items: { type: 'string' } }, 'do(p: string[])'],
    [{ type: 'string', enum: ['open', 'read-only'] }, 'do(p: open|read-only)'],
    [{ const: 'page' }, 'do(p: page)'],
    [{ type: 'string', enum: ['string', 'number'] }, 'do(p: "string"|"number")'],
    [{ type: 'string', enum: ['a b', 'c'] }, 'do(p: "a b"|"c")'],
    [{ enum: [1, 2] }, 'do(p: 1|2)'],
    [{ type: ['string', 'null'] }, 'do(p: string|null)'],
    [{}, 'do(p: any)'],
    [{ type: 'object', properties: { a: text }, required: ['a'] }, 'do(p: {a: string})'],
  ])('shows the required %j as %s', async (property, line) => {
    expect(await typed(property as JsonObject)).toBe(line);
  });

  it('finds an enum behind a reference', async () => {
    expect(await typed({ $ref: '#/$defs/k' }, { $defs: { k: { enum: ['a', 'b'] } } })).toBe('do(p: a|b)');
  });

  it('keeps all values of a long enum, up to a bound at which it says there are more', async () => {
    const values = Array.from({ length: 14 }, (_, at) => `some_long_value_${at}`);
    expect(await typed({ enum: values })).toBe(`do(p: ${values.join('|')})`);
    const many = Array.from({ length: 20 }, (_, at) => `some_much_longer_value_${at}`);
    expect(await typed({ enum: many })).toMatch(/^do\(p: some_much_longer_value_0\|.*\|…\)$/);
  });

  it('hints at what is too large to show', async () => {
    const members = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`member${at}`, text]));
    const large = { type: 'object', properties: members };
    expect(await typed(large)).toBe('do(p: {…})');
    expect(await typed({ type: 'array', items: large })).toBe('do(p: […])');
  });

  it.each([
    ['List the issues', 'list_issues()'],
    ['Lists all of the issues.', 'list_issues()'],
    ['Issues that are open.', 'list_issues(): Issues that are open'],
    ['Returns whatever is there at the moment', 'list_issues(): Returns whatever is there'],
    ['Shows one page of them; more with a cursor.', 'list_issues(): Shows one page of them'],
    ['First\n- forged(): line', 'list_issues(): First - forged(): line'],
  ])('says of "%s" what the name does not', async (description, line) => {
    expect(await lineOf('list_issues', { type: 'object' }, description)).toBe(line);
  });

  it('can leave the words out', async () => {
    const tool = { name: 'go', description: 'Somewhere else', inputSchema: { type: 'object' } };
    const [entry] = openMode(category, { x: { tools: [tool] } })
      .view()
      .list('tool');
    expect(entry && toActionLine(entry)).toEqual({ bare: 'go()', brief: 'go(): Somewhere else' });
  });

  it('is made anew when a definition changes, and only then', () => {
    const toLine = createLineMaker();
    const { upstreams, view } = openMode(category, { x: { tools: ['go'] }, y: { tools: ['stay'] } });
    const lines = () => view().list('tool').map(toLine);
    const [, before] = lines();
    upstreams.set('x', { tools: [{ name: 'go', inputSchema: { type: 'object', required: ['p'] } }] });
    expect(lines()[0]?.bare).toBe('go(p: any)');
    expect(lines()[1]).toBe(before);
  });

  it('quotes names that could pass for more', async () => {
    expect(await lineOf('a(b): c\nd', { type: 'object', properties: { 'x\ny': {} } })).toBe(
      '"a(b): c\\nd"("x\\ny"?)',
    );
    expect(await lineOf('repo.get', { type: 'object' })).toBe('repo.get()');
  });

  it('is one line and bounded, whatever a server writes', async () => {
    const words = fc.string({ unit: 'binary', maxLength: 400 });
    const schema = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.record({ type: fc.constantFrom('string', 'integer', 'array', 'object', 'odd') }),
        fc.record({ enum: fc.array(fc.oneof(words, fc.integer()), { maxLength: 40 }) }),
        fc.record({ type: fc.constant('array'), items: tie('node') }),
        fc.record({ type: fc.constant('object'), properties: fc.dictionary(words, tie('node')) }),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(words, words, schema, async (name, description, property) => {
        const shape = { type: 'object', properties: { p: property as JsonObject }, required: ['p'] };
        const line = await lineOf(name, shape, description);
        expect(line).not.toMatch(/[\n\r]/);
        expect(line.length).toBeLessThanOrEqual(JSON.stringify(name).length + 400);
      }),
      { numRuns: 200 },
    );
  });
});
