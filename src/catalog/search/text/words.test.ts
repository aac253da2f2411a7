import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './query.ts';
import { splitWords } from './words.ts';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  splitWords(text, (word) => words.push(word));
  return words;
}

describe('words', () => {
  it('cuts identifiers at separators, changes of case and digits', () => {
    expect(wordsOf('get_user-by.id')).toEqual(['get', 'user', 'by', 'id']);
    expect(wordsOf('parseHTTPResponseBody')).toEqual(['parse', 'http', 'response', 'body']);
    expect(wordsOf('listV2Items')).toEqual(['list', 'v', '2', 'items']);
  });

  it('keeps a short compound whole beside its parts', () => {
    expect(wordsOf('GitHub')).toEqual(['github', 'git', 'hub']);
    expect(wordsOf('s3')).toEqual(['s3']);
  });

  it('takes pairs of letters from scripts without spaces', () => {
    expect(wordsOf('搜索天气')).toEqual(['搜索', '索天', '天气']);
    expect(wordsOf('用 x')).toEqual(['用', 'x']);
  });

  it('reads accents and width variants as plain letters', () => {
    expect(wordsOf('Café ｗｉｋｉ')).toEqual(['cafe', 'wiki']);
  });

  it('answers any text with bounded, lower-case words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const word of wordsOf(text)) {
          expect(word.length).toBeGreaterThan(0);
          expect(word.length).toBeLessThanOrEqual(44);
        }
      }),
    );
  });
});

describe('queries', () => {
  it('leaves out words of grammar and of asking', () => {
    expect(parseQuery('please could you list the open issues').terms).toEqual(['list', 'open', 'issu']);
  });

  it('keeps words of asking when there is nothing else', () => {
    expect(parseQuery('help').terms).toEqual(['help']);
  });

  it('tells sentences and clauses apart', () => {
    const { terms, segments } = parseQuery('Download the report and send it by email. Book a flight.');
    const texts = segments.map((segment) => segment.map((at) => terms[at]).join(' '));
    expect(texts).toContain('book flight');
    expect(texts).toContain('download report');
    expect(texts).toContain('send email');
  });

  it('has no segments when the whole is one clause', () => {
    expect(parseQuery('create github issue').segments).toEqual([]);
  });

  it('counts a repeated word once as a term', () => {
    expect(parseQuery('weather weather today weather')).toMatchObject({
      terms: ['weather', 'todai'],
      counts: [3, 1],
    });
  });

  it('stays within bounds for any query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 6_000 }), (query) => {
        const { terms, counts, segments } = parseQuery(query);
        expect(terms.length).toBeLessThanOrEqual(64);
        expect(counts.length).toBe(terms.length);
        expect(segments.length).toBeLessThanOrEqual(16);
        expect(segments.flat().every((at) => at < terms.length)).toBe(true);
      }),
    );
  });
});
