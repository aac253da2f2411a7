import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStem } from './porter.ts';

describe('stems', () => {
  it.each([
    ['repositories', 'repositori'],
    ['repository', 'repositori'],
    ['creating', 'creat'],
    ['created', 'creat'],
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['hopping', 'hop'],
    ['filing', 'file'],
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['controlling', 'control'],
    ['generalizations', 'gener'],
    ['agreed', 'agre'],
    ['sky', 'sky'],
    ['happy', 'happi'],
  ])('brings %s to %s', (word, stem) => {
    expect(toStem(word)).toBe(stem);
  });

  it('leaves other scripts and short words alone', () => {
    expect(toStem('天气')).toBe('天气');
    expect(toStem('is')).toBe('is');
    expect(toStem('s3s')).toBe('s3s');
  });

  it('never lengthens a word and never empties one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,30}$/), (word) => {
        const stem = toStem(word);
        expect(stem.length).toBeGreaterThan(0);
        expect(stem.length).toBeLessThanOrEqual(word.length + 1);
      }),
    );
  });
});
