import { expect, it } from 'vitest';
import { toTagKeys } from './tag-keys.ts';

it.each([
  ['a,b', ',a,b,'],
  ['a ,b', ',a,b,'],
  [' a,\t b ', ',a,b,'],
  ['Ökologie, ÉTÉ', ',ökologie,été,'],
  ['#ai; two  words、ＡＩ', ',ai,two words,ai,'],
  [' , ,', null],
  ['', null],
  [null, null],
])('compares the tags %j by %j', (tags, keys) => {
  expect(toTagKeys(tags)).toBe(keys);
});
