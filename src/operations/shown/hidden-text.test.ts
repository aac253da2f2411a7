import { expect, it } from 'vitest';
import { hideText } from './hidden-text.ts';

it('keeps the layout and puts what may be shown in the place of each text that differs', () => {
  const text = '\uFEFF{\r\n\t"a": ["x", "kestrel"], // mine\r\n\t"b": { "c": "godwit", "d": 1 },\r\n}\r\n';
  const hidden = { a: ['x', '(hidden)'], b: { c: 'go…', d: 1 } };
  expect(hideText(text, hidden)).toBe(
    '\uFEFF{\r\n\t"a": ["x", "(hidden)"], // mine\r\n\t"b": { "c": "go…", "d": 1 },\r\n}\r\n',
  );
});

it('shows nothing that the document without secrets does not have', () => {
  expect(hideText('{ "a": { "b": "kestrel" } }', {})).toBe('{ "a": { "b": "(hidden)" } }');
});

it.each([
  ['// "old": "kestrel-99"', '// (hidden)'],
  ['// 5" and "old": "kestrel-99"', '// (hidden)'],
  ['/* "old": {\n  "env": { "A": "kestrel-99" } } */', '/* (hidden) */'],
  ['// password: kestrel-99', '// password: (hidden)'],
  ['// what I like', '// what I like'],
])('looks through comments: %s', (comment, shown) => {
  expect(hideText(`{ ${comment}\n}`, {})).toBe(`{ ${shown}\n}`);
});
