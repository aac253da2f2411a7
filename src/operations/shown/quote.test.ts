import { describe, expect, it } from 'vitest';
import { toName, toShellWord, toShown } from './quote.ts';

describe('texts of others in a line', () => {
  it('are in quotes, and cut when they are long', () => {
    expect(toShown('desk')).toBe('"desk"');
    expect(toShown('x'.repeat(200))).toBe(`"${'x'.repeat(80)}…"`);
  });

  it('need quotes only when they could be taken for more than a word', () => {
    expect(['desk', '@a/b-c', 'a b', ''].map(toName)).toEqual(['desk', '@a/b-c', '"a b"', '""']);
  });

  it.each(['\u202e', '\u009b', '\u2028', '\u{f0000}', '\u001b', '\n'])(
    'cannot hide or move anything: %j',
    (mark) => {
      for (const said of [toShown(`a${mark}b`), toName(`a${mark}b`)]) expect(said).not.toContain(mark);
    },
  );

  it('do nothing in a shell', () => {
    expect(toShellWord('/a/b.json')).toBe('/a/b.json');
    expect(toShellWord("it's $(x)")).toBe(`'it'\\''s $(x)'`);
    expect(toShellWord('')).toBe("''");
  });
});
