import { expect, it } from 'vitest';
import { parseJsonc } from './jsonc.ts';

it('takes a byte order mark for nothing, and still knows where everything stands', () => {
  const text = '\uFEFF{ "a": { "b": 1 } }';
  const document = parseJsonc(text);
  if (!('value' in document)) throw new Error('it was not read');
  expect(document.value).toEqual({ a: { b: 1 } });
  expect(document.offsetOf(['a', 'b'])).toBe(text.indexOf('"b"'));
  expect(parseJsonc('\uFEFF')).toEqual([expect.objectContaining({ offset: 0 })]);
});
