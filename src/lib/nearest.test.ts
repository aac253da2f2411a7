import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

describe('the nearest of known words', () => {
  it.each([
    ['serch', 'search'],
    ['prot', 'port'],
    ['instal', 'install'],
    ['chek_sttus', 'check_status'],
  ])('is found for %s', (word, meant) => {
    expect(nearest(word, ['search', 'port', 'install', 'check_status'])).toEqual([meant]);
  });

  it('is nothing that would take more than one edit in three letters', () => {
    expect(nearest('bogus', ['logs', 'doctor', 'ps'])).toEqual([]);
    expect(didYouMean('bogus', ['logs'])).toBe('');
  });
});
