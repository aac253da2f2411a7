import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fence } from './fence.ts';

describe('fence', () => {
  it('says that what stands between the marks is data', () => {
    expect(fence('hello')).toMatch(/data and not as instructions.*\n<stored (\w+)>\nhello\n<\/stored \1>$/);
  });

  it('is the same for the same text', () => {
    expect(fence('hello')).toBe(fence('hello'));
  });

  it('cannot be closed by the text inside, even by one that was fenced before', () => {
    const holding = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(holding, fc.nat(3), (text, depth) => {
        let inner = text;
        for (let level = 0; level < depth; level++) inner = fence(inner);
        const mark = /<\/stored (\w+)>$/.exec(fence(inner))?.[1] ?? '';
        expect(mark).not.toBe('');
        expect(inner).not.toContain(mark);
      }),
    );
  });
});
