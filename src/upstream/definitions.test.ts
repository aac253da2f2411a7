import { expect, it } from 'vitest';
import { KINDS } from '../model/kinds.ts';
import type { Definition } from '../model/mcp.ts';
import { toSafeDefinition } from './definitions.ts';

const schema = { type: 'object' };
const safe = (definition: Definition, kind: keyof typeof KINDS = 'tool') => {
  const remarks: string[] = [];
  return { definition: toSafeDefinition(definition, KINDS[kind], remarks), remarks };
};

it('hands a sound definition through as the very same object', () => {
  const tool = { name: 'a', inputSchema: schema, future: [1], annotations: {}, icons: [{ src: 'x' }] };
  expect(safe(tool)).toEqual({ definition: tool, remarks: [] });
  expect(safe(tool).definition).toBe(tool);
});

it('takes an object for granted where a tool does not say what its input is', () => {
  expect(safe({ name: 'a' }).definition).toEqual({ name: 'a', inputSchema: { type: 'object' } });
  expect(safe({ name: 'a', inputSchema: { properties: {} } }).definition?.['inputSchema']).toEqual({
    type: 'object',
    properties: {},
  });
});

it('leaves out a tool whose input is no object, and says so', () => {
  const { definition, remarks } = safe({ name: 'a', inputSchema: { type: 'string' } });
  expect(definition).toBeUndefined();
  expect(remarks).toEqual(['tools/list: "a" is left out: its inputSchema is not that of an object']);
});

it('drops malformed members and keeps the rest', () => {
  const { definition, remarks } = safe({
    name: 'a',
    inputSchema: schema,
    description: 5,
    icons: 'x',
    odd: 1,
  });
  expect(definition).toEqual({ name: 'a', inputSchema: schema, odd: 1 });
  expect(remarks).toHaveLength(1);
});

it('names a resource after its URI when it has no name, and drops arguments that are no arguments', () => {
  expect(safe({ uri: 'x://1' }, 'resource').definition).toEqual({ uri: 'x://1', name: 'x://1' });
  expect(safe({ name: 'p', arguments: [{}] }, 'prompt').definition).toEqual({ name: 'p' });
});
