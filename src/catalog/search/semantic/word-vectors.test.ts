import { describe, expect, it } from 'vitest';
import { toStem } from '../text/porter.ts';
import { openWordVectors } from './word-vectors.ts';

describe('the table of word meanings', () => {
  const words = openWordVectors();
  const vectorOf = (word: string) => {
    const vector = new Float32Array(words.size);
    expect(words.read(toStem(word), vector)).toBe(true);
    return vector;
  };
  const alike = (a: string, b: string) => {
    const other = vectorOf(b);
    return vectorOf(a).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  };

  it('holds vectors of unit length', () => {
    expect(alike('weather', 'weather')).toBeCloseTo(1, 4);
  });

  it('puts words of like meaning close together', () => {
    expect(alike('movie', 'film')).toBeGreaterThan(0.5);
    expect(alike('purchase', 'buy')).toBeGreaterThan(alike('purchase', 'weather') + 0.3);
  });

  it('knows what it does not hold', () => {
    expect(words.has('zzqqxx')).toBe(false);
    expect(words.has('')).toBe(false);
    expect(words.read('zzqqxx', new Float32Array(words.size))).toBe(false);
  });
});
