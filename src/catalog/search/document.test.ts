import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../model/json.ts';
import { toSearchDocument } from './document.ts';

describe('the searchable text of a tool', () => {
  it('holds the name its server gave it, not the one clients are shown', () => {
    expect(toSearchDocument({ name: 'git__status' }, 'status').name).toBe('status');
  });

  it('holds names, the lead sentence, the rest, and what is said about parameters', () => {
    const document = toSearchDocument({
      name: 'create_issue',
      title: 'Create issue',
      description: 'Opens an issue on v1.2 boards. Needs a token.',
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'Short summary' },
          state: { enum: ['open', 'closed', 3] },
          options: { type: 'object', properties: { assignee: { description: 'Who does it' } } },
        },
      },
    });
    expect(document).toEqual({
      name: 'create_issue',
      title: 'Create issue',
      lead: 'Opens an issue on v1.2 boards',
      description: '. Needs a token.',
      parameterNames: ['title', 'state', 'options'],
      parameterTexts: ['Short summary', 'open', 'closed', 'assignee', 'Who does it'],
    });
  });

  it('takes the title from the annotations when there is no other', () => {
    expect(toSearchDocument({ name: 'x', annotations: { title: 'Nice name' } }).title).toBe('Nice name');
  });

  it('finds arguments behind anyOf, and names inside arrays as text', () => {
    const { parameterNames, parameterTexts } = toSearchDocument({
      name: 'x',
      inputSchema: {
        anyOf: [{ properties: { a: true } }, { properties: { b: { items: { properties: { inner: {} } } } } }],
      },
    });
    expect(parameterNames).toEqual(['a', 'b']);
    expect(parameterTexts).toEqual(['inner']);
  });

  it('survives any definition', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, rest) => {
        const document = toSearchDocument({ name: rest as JsonValue, inputSchema: schema as JsonValue });
        expect(typeof document.name).toBe('string');
      }),
    );
  });

  it('is bounded for a schema that is deep or wide', () => {
    let deep: JsonValue = { type: 'string' };
    for (let depth = 0; depth < 2_000; depth++) deep = { type: 'object', properties: { next: deep } };
    const wide = {
      properties: Object.fromEntries(
        Array.from({ length: 5_000 }, (_, n) => [`field${n}`, { description: 'x'.repeat(500) }]),
      ),
    };
    expect(toSearchDocument({ name: 'a', inputSchema: deep }).parameterTexts.length).toBeLessThan(20);
    const document = toSearchDocument({ name: 'b', inputSchema: wide });
    expect(document.parameterNames.length).toBeLessThanOrEqual(120);
    expect(document.parameterTexts.join('').length).toBeLessThanOrEqual(3_000);
  });
});
