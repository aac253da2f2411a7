/** Slugs from titles in any script. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFreeSlug, toSlug } from './slug.ts';
import { parseTags, toTagKey } from './tags.ts';

describe('toSlug', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ['  --Already-- a   slug ', 'already-a-slug'],
    ['Crème brûlée für Anfänger', 'creme-brulee-fur-anfanger'],
    ["Don't Panic: it’s fine", 'dont-panic-its-fine'],
    ['Straße nach Łódź & Ærø', 'strasse-nach-lodz-aero'],
    ['İstanbul ve ışık', 'istanbul-ve-isik'],
    ['Ｆｕｌｌ ﬁne 𝕿𝖍𝖗𝖊𝖆𝖉', 'full-fine-thread'],
    ['糸を通す：はじめに', '糸を通す-はじめに'],
    ['Война и мир, том 2', 'война-и-мир-том-2'],
    ['ما هو الخياطة؟', 'ما-هو-الخياطة'],
    ['हिन्दी में लेख', 'हिन्दी-में-लेख'],
    ['../../etc/passwd', 'etc-passwd'],
    ['C++ & C#', 'c-c'],
    ['🧵🪡', ''],
    ['\u0301\u0302', ''],
    ['', ''],
  ])('turns %j into %j', (title, slug) => {
    expect(toSlug(title)).toBe(slug);
  });

  it('cuts a long title between two words', () => {
    const slug = toSlug('thread needle '.repeat(20));
    expect(slug).toHaveLength(76);
    expect(slug).toMatch(/^(thread|needle)(-(thread|needle))*$/);
    expect([...toSlug('糸'.repeat(300))]).toHaveLength(80);
  });

  it('holds only what can stand in an address, is stable, and reads back from it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (title) => {
        const slug = toSlug(title);
        expect(slug).toMatch(/^(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:-[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*)?$/u);
        expect([...slug].length).toBeLessThanOrEqual(80);
        expect(toSlug(slug)).toBe(slug);
        const { pathname } = new URL(`/blog/${encodeURIComponent(slug)}`, 'http://127.0.0.1');
        expect(decodeURIComponent(pathname)).toBe(`/blog/${slug}`);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('toFreeSlug', () => {
  it('counts on until nobody has it, and never takes the path of something else', async () => {
    const used = new Set(['a', 'a-2']);
    const isUsed = async (slug: string) => used.has(slug);
    expect(await toFreeSlug('a', isUsed)).toBe('a-3');
    expect(await toFreeSlug('b', isUsed)).toBe('b');
    expect(await toFreeSlug('tag', isUsed)).toBe('tag-2');
    expect(await toFreeSlug('search', isUsed)).toBe('search-2');
  });
});

describe('parseTags', () => {
  it('splits at commas of any script, and takes a tag once whatever its case', () => {
    expect(parseTags(' #Wool,wool , two  words，糸、C++,,')).toEqual([
      { key: 'wool', name: 'Wool' },
      { key: 'two words', name: 'two words' },
      { key: '糸', name: '糸' },
      { key: 'c++', name: 'C++' },
    ]);
  });

  it('leaves out what could not be an address', () => {
    expect(parseTags('., ..,...')).toEqual([]);
  });

  it('gives keys that survive the way through an address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        for (const { key } of parseTags(text)) {
          const { pathname } = new URL(`/blog/tag/${encodeURIComponent(key)}`, 'http://127.0.0.1');
          expect(toTagKey(decodeURIComponent(pathname.slice('/blog/tag/'.length)))).toBe(key);
        }
      }),
    );
  });
});
