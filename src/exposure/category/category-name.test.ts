import { expect, it } from 'vitest';
import { NOUNS } from '../../operations/nouns/registry.ts';
import { fromCategoryWord, toCategoryWord } from './category-name.ts';

it.each(['tools', 'discover', ...NOUNS.map(({ name }) => name)])(
  'tells a server called %s apart from the tool of ours',
  (word) => {
    expect(toCategoryWord(word)).toBe(`${word}_server`);
    expect(fromCategoryWord(`${word}_server`)).toBe(word);
    expect(fromCategoryWord(word)).toBeUndefined();
  },
);
