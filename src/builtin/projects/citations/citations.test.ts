/** References by the published rules: golden ones for every kind of source, and any text at all. */
import { plugins } from '@citation-js/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  BIBLIOGRAPHY_FORMATS,
  type BibliographyFormat,
  type BibliographySource,
  createCitations,
  toBibliographyText,
} from './citations.ts';
import { SOURCE_TYPES, type SourceType, toCslItem } from './csl-item.ts';
import { type CslName, parseAuthors } from './names.ts';
import { forStyle } from './style-item.ts';

const citations = createCitations();

function source(over: Partial<BibliographySource> = {}): BibliographySource {
  return {
    id: 1,
    title: 'The quiet art of mending',
    source_type: 'book',
    authors: 'Doe, Jane A.',
    publication_date: '2020-05-03',
    publisher: 'Loom House',
    url: null,
    doi: null,
    isbn: null,
    retrieval_date: '2026-01-05T10:00:00.000Z',
    own_citation: null,
    ...over,
  };
}

async function write(format: BibliographyFormat, ...sources: BibliographySource[]): Promise<string> {
  return toBibliographyText(await citations.list(sources, format), format);
}

const url = 'https://example.org/a';
const web = {
  apa: `Doe, J. A. (2020, May 3). The quiet art of mending. Loom House. ${url}`,
  mla: `Doe, Jane A. “The Quiet Art of Mending.” Loom House, 3 May 2020, ${url}.`,
  chicago: `Doe, Jane A. 2020. “The Quiet Art of Mending.” Loom House. May 3, 2020. ${url}.`,
};
const data = {
  apa: `Doe, J. A. (2020). The quiet art of mending [Dataset]. Loom House. ${url}`,
  mla: `Doe, Jane A. The Quiet Art of Mending. Loom House, 3 May 2020, ${url}.`,
  chicago: `Doe, Jane A. 2020. “The Quiet Art of Mending.” Loom House. ${url}.`,
};
const paper = {
  apa: `Doe, J. A. (2020, May 3). The quiet art of mending. Loom House. ${url}`,
  mla: data.mla,
  chicago: data.chicago,
};
const medium = (inApa: string, inChicago: string) => ({
  apa: `Doe, J. A. (2020, May 3). The quiet art of mending [${inApa}. ${url}`,
  mla: web.mla,
  chicago: `Doe, Jane A. 2020. “The Quiet Art of Mending.” ${inChicago}. Loom House. May 3, 2020. ${url}.`,
});

const GOLDEN: Readonly<Record<SourceType, Readonly<Record<'apa' | 'mla' | 'chicago', string>>>> = {
  web_article: web,
  web_search: web,
  web_scrape: web,
  academic_paper: {
    apa: `Doe, J. A. (2020). The quiet art of mending. Loom House. ${url}`,
    mla: `Doe, Jane A. “The Quiet Art of Mending.” Loom House, May 2020, ${url}.`,
    chicago: `Doe, Jane A. 2020. “The Quiet Art of Mending.” Loom House, May. ${url}.`,
  },
  book: {
    apa: `Doe, J. A. (2020). The quiet art of mending. Loom House. ${url}`,
    mla: `Doe, Jane A. The Quiet Art of Mending. Loom House, 2020, ${url}.`,
    chicago: `Doe, Jane A. 2020. The Quiet Art of Mending. Loom House. ${url}.`,
  },
  api_data: data,
  dataset: data,
  document: paper,
  other: paper,
  interview: medium('Interview]. Loom House', 'Interview'),
  video: medium('Video]. Loom House', 'Video'),
  podcast: medium('Audio podcast episode]. In Loom House', 'Audio podcast episode'),
  social_media: medium('Post]. Loom House', 'Post'),
  government_doc: {
    apa: `Doe, J. A. (2020). The quiet art of mending. Loom House. ${url}`,
    mla: data.mla,
    chicago: data.chicago,
  },
};

describe.each(SOURCE_TYPES)('a source of type %s', (source_type) => {
  it.each(['apa', 'mla', 'chicago'] as const)('is cited by the rules of %s', async (format) => {
    expect(await write(format, source({ source_type, url }))).toBe(GOLDEN[source_type][format]);
  });

  it('opens with its title when nobody is named, and says that it has no date', async () => {
    const bare = source({ source_type, authors: null, publication_date: null, publisher: null });
    expect(await write('apa', bare)).toMatch(/^The quiet art of mending( \[[\w ]+\])?\. \(n\.d\.\)\.$/);
    expect(await write('mla', bare)).toBe('The Quiet Art of Mending.');
    expect(await write('chicago', bare)).toMatch(/^“?The Quiet Art of Mending\.”? n\.d\.( [\w ]+\.)?$/);
  });
});

/** The manual names the site of a video bare; the published style does so only when it is the publisher. */
function toRefereed(cited: BibliographySource): object {
  const { 'container-title': site, ...item } = toCslItem(cited);
  if (site === undefined) return item;
  return { ...item, [cited.source_type === 'video' ? 'publisher' : 'container-title']: site };
}

describe('the referee', () => {
  beforeAll(() => citations.cite(source()));

  it.each(SOURCE_TYPES)(
    'agrees: our small APA writes %s with an author as the published one does',
    async (source_type) => {
      for (const over of [
        {},
        { publication_date: null, url },
        { publisher: null, url },
        { doi: '10.1000/x', url },
      ]) {
        const cited = source({ source_type, ...over });
        const published = plugins.output.format('bibliography', [toRefereed(cited)], {
          template: 'apa',
          lang: 'en-US',
          format: 'text',
          asEntryArray: true,
        });
        expect(await citations.cite(cited)).toBe(published[0]?.[1].trim());
      }
    },
  );
});

describe('the rules', () => {
  it('prefers the DOI to the address', async () => {
    const both = source({ source_type: 'academic_paper', doi: '10.1000/xyz', url });
    for (const format of ['apa', 'mla', 'chicago'] as const) {
      const text = await write(format, both);
      expect(text).toContain('https://doi.org/10.1000/xyz');
      expect(text).not.toContain(url);
    }
  });

  it('tells when a page without a date was looked at', async () => {
    const page = source({ source_type: 'web_article', authors: null, publication_date: null, url });
    expect(await write('apa', page)).toBe(
      `The quiet art of mending. (n.d.). Loom House. Retrieved January 5, 2026, from ${url}`,
    );
    expect(await write('mla', page)).toBe(
      `“The Quiet Art of Mending.” Loom House, ${url}. Accessed 5 Jan. 2026.`,
    );
    expect(await write('chicago', page)).toBe(
      `“The Quiet Art of Mending.” n.d. Loom House. Accessed January 5, 2026. ${url}.`,
    );
  });

  it('calls a work whose title is only space untitled', async () => {
    expect(await write('apa', source({ title: ' \n ' }))).toBe('Doe, J. A. (2020). Untitled. Loom House.');
  });

  it('names two authors in each style, and shortens long lists as each style does', async () => {
    const two = source({ authors: 'Doe, Jane A. & Roe, Richard', publication_date: '2020' });
    expect(await write('apa', two)).toMatch(/^Doe, J\. A\., & Roe, R\. \(2020\)\./);
    expect(await write('mla', two)).toMatch(/^Doe, Jane A\., and Richard Roe\. /);
    expect(await write('chicago', two)).toMatch(/^Doe, Jane A\., and Richard Roe\. 2020\./);
    const many = source({
      authors: Array.from({ length: 22 }, (_, at) => `Name${String.fromCharCode(65 + at)}, A.`).join('; '),
    });
    expect(await write('apa', many)).toMatch(/NameS, A\., … NameV, A\. \(2020\)/);
    expect(await write('mla', many)).toMatch(/^NameA, A\., et al\. /);
    expect(await write('chicago', many)).toMatch(/A\. NameG, et al\. 2020/);
  });

  it('names an institution that publishes its own work once', async () => {
    const own = source({ source_type: 'government_doc', authors: 'World Bank', publisher: 'World Bank' });
    expect(await write('apa', own)).toBe('World Bank. (2020). The quiet art of mending.');
    expect(await write('mla', own)).toBe('The Quiet Art of Mending. World Bank, 3 May 2020.');
    expect(await write('chicago', own)).toBe('World Bank. 2020. “The Quiet Art of Mending.” World Bank.');
  });

  it('tells works of one author and year apart, and files everything by author or title', async () => {
    const list = [
      source({ id: 1, title: 'Zips' }),
      source({ id: 2, title: 'Hems', authors: 'Abel, A.' }),
      source({ id: 3, title: 'Buttons' }),
      source({ id: 4, title: 'Cloth', authors: null }),
    ];
    expect(await citations.list(list, 'apa')).toEqual([
      { source_id: 2, text: 'Abel, A. (2020). Hems. Loom House.' },
      { source_id: 4, text: 'Cloth. (2020). Loom House.' },
      { source_id: 3, text: 'Doe, J. A. (2020a). Buttons. Loom House.' },
      { source_id: 1, text: 'Doe, J. A. (2020b). Zips. Loom House.' },
    ]);
    expect((await citations.list(list, 'mla')).map((entry) => entry.text)).toEqual([
      'Abel, A. Hems. Loom House, 2020.',
      'Cloth. Loom House, 2020.',
      'Doe, Jane A. Buttons. Loom House, 2020.',
      '---. Zips. Loom House, 2020.',
    ]);
  });

  it('keeps a citation its keeper wrote, in its place and for APA only', async () => {
    const own = source({ id: 7, own_citation: 'Carver, C. (1999). As I wrote it.' });
    const list = [source({ id: 1 }), own, source({ id: 2, authors: 'Abel, A.' })];
    expect((await citations.list(list, 'apa')).map((entry) => entry.source_id)).toEqual([2, 7, 1]);
    expect(await write('apa', own)).toBe('Carver, C. (1999). As I wrote it.');
    expect(await write('mla', own)).toContain('Doe, Jane A.');
  });

  it.each(['apa', 'mla', 'chicago'] as const)(
    'writes a long list in %s as if it were written at once, whole or in parts',
    async (format) => {
      const names = [
        'Doe, Jane',
        'Doe, John',
        'Doe Institute',
        'Doeb, X.',
        'Écho, A.',
        'Eco, U.',
        'van Gogh, Vincent',
      ];
      const list = Array.from({ length: 150 }, (_, at) =>
        source({
          id: at + 1,
          title: `Work ${(at * 7) % 150}`,
          authors: at < 40 ? 'Doe, Jane' : at < 80 ? (names[at % 7] ?? '') : `${'ZYXWVDEFG'[at % 9]}ell, A.`,
          publication_date: at % 2 === 0 ? '2020' : null,
        }),
      );
      const items = list.map((one) => forStyle(toCslItem(one), format));
      const options = {
        template: `thimble-${format}`,
        lang: 'en-US',
        format: 'text',
        asEntryArray: true,
      } as const;
      const whole = plugins.output.format('bibliography', items, options).map(([, text]) => text.trim());
      const texts = (await citations.list(list, format)).map((entry) => entry.text);
      expect(texts).toEqual(whole);
      for (const offset of [0, 1, 37, 99, 149, 150]) {
        const part = await citations.list(list, format, { offset, limit: 37 });
        expect(part.map((entry) => entry.text)).toEqual(whole.slice(offset, offset + 37));
      }
    },
  );

  it('lists each of three hundred sources once, in order, and lets others have a turn meanwhile', async () => {
    const list = Array.from({ length: 300 }, (_, at) =>
      source({ id: at + 1, title: `Work ${at}`, authors: `Name${String.fromCharCode(65 + (at % 26))}, B.` }),
    );
    let turns = 0;
    const ticking = setInterval(() => {
      turns++;
    }, 1);
    const entries = await citations.list(list, 'chicago');
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(3);
    expect(new Set(entries.map((entry) => entry.source_id)).size).toBe(300);
    const leads = entries.map((entry) => entry.text.slice(0, 5));
    expect(leads).toEqual([...leads].sort());
  });
});

describe('BibTeX', () => {
  it('writes an article whole', async () => {
    const article = source({
      source_type: 'academic_paper',
      authors: 'Doe, Jane A.; Research & Development Group',
      doi: '10.1000/a_b',
      url,
    });
    expect(await write('bibtex', article)).toBe(
      [
        '@article{doe2020-1,',
        '  title = {{The quiet art of mending}},',
        '  author = {Doe, Jane A. and {Research \\& Development Group}},',
        '  journal = {Loom House},',
        '  year = {2020},',
        '  month = may,',
        '  doi = {10.1000/a_b},',
        `  url = {${url}},`,
        '  urldate = {2026-01-05}',
        '}',
      ].join('\n'),
    );
  });

  it.each(SOURCE_TYPES)(
    'gives a source of type %s its publisher and a key of its own',
    async (source_type) => {
      const text = await write('bibtex', source({ id: 1, source_type }), source({ id: 2, source_type }));
      expect(text.match(/\{Loom House\}/g)).toHaveLength(2);
      expect(text).toContain('{doe2020-1,');
      expect(text).toContain('{doe2020-2,');
    },
  );

  it('is read back by citation-js with the same title and authors, whatever they are', async () => {
    await import('@citation-js/plugin-bibtex');
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((one) => `x${one}x`);
    const group = text.map((one) => `{${one.replaceAll(';', '')}}`);
    // Capitals, since readers take small words for particles, each in a way of its own.
    const name = fc
      .array(
        fc.oneof(fc.constantFrom('and', 'AND', 'É. & Ø.', '50%'), fc.stringMatching(/^[A-Z][a-z]{1,8}$/)),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((words) => `X${words.join(' ')}`);
    const person = fc.tuple(name, name).map((names) => names.join(', '));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.oneof(group, person), { minLength: 2 }), async (title, people) => {
        const cited = source({ title, authors: `${people.join('; ')};`, url });
        const [entry] = await citations.list([cited], 'bibtex');
        const [item] = plugins.input.chain(entry?.text ?? '', { generateGraph: false });
        expect(squeezed(String(item?.['title']))).toBe(squeezed(title));
        expect(item?.['URL']).toBe(url);
        const read = (item?.['author'] ?? []) as readonly CslName[];
        expect(read.map(toSpoken)).toEqual(parseAuthors(cited.authors ?? '').map(toSpoken));
      }),
    );
  });

  it('does not take an "and" in a given name for the next author', async () => {
    const text = await write('bibtex', source({ authors: 'Doe, Jane and Mary; Roe, R.' }));
    expect(text).toContain('author = {Doe, {Jane and Mary} and Roe, R.}');
  });
});

describe('CSL-JSON', () => {
  it('is an array of items, as given', async () => {
    const items: unknown = JSON.parse(await write('csl-json', source({ isbn: '9780306406157', url })));
    expect(items).toEqual([
      {
        id: 'source-1',
        type: 'book',
        title: 'The quiet art of mending',
        'citation-key': 'doe2020-1',
        author: [{ family: 'Doe', given: 'Jane A.' }],
        issued: { 'date-parts': [[2020, 5, 3]] },
        accessed: { 'date-parts': [[2026, 1, 5]] },
        publisher: 'Loom House',
        URL: url,
        ISBN: '9780306406157',
      },
    ]);
  });

  it('is an empty array of nothing', async () => {
    expect(JSON.parse(await write('csl-json'))).toEqual([]);
  });
});

/** Letters and digits only, since styles change capitals, quotation marks and doubled punctuation. */
function letters(text: string): string {
  return text
    .toUpperCase()
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Who is named, however the name is taken apart. */
function toSpoken(name: CslName): string {
  const { literal, family, suffix, given, ...particles } = name as Readonly<Record<string, string>>;
  return squeezed([literal, ...Object.values(particles), family, suffix, given].join(' '));
}

function squeezed(text: string): string {
  return letters(text.replace(/[\s\p{Cc}]+/gu, ' '));
}

describe('any text at all', () => {
  const hostile = fc.constantFrom(
    '<i>x</i>',
    '<span class="nocase">x</span>',
    '</style>',
    '"',
    "'",
    '{{x}}',
    '\\',
    '%',
    '__proto__',
    'constructor',
    'toString',
    'constructor, A.',
    '__proto__, B.; toString, C.',
    '\u202e',
    '\ud800',
    '\0',
    '. . .',
    ': ',
    'a: "b" \'c\'',
  );
  const anyText = fc
    .array(
      fc.oneof(
        hostile,
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
      {
        maxLength: 5,
      },
    )
    .map((parts) => parts.join(' '));

  it.each(BIBLIOGRAPHY_FORMATS)('never breaks %s and never loses the title', async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          title: anyText,
          authors: fc.option(anyText),
          publisher: fc.option(anyText),
          publication_date: fc.constantFrom(null, '2020', '2020-05', '2020-05-03'),
          source_type: fc.constantFrom(...SOURCE_TYPES),
          url: fc.constantFrom(null, url),
        }),
        async (over) => {
          const text = await write(format, source(over));
          const told =
            format === 'csl-json' ? String(JSON.parse(text)[0].title) : text.replace(/\\text\w+\{\}/g, '');
          expect(letters(told)).toContain(letters(over.title));
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(BIBLIOGRAPHY_FORMATS)(
    'lists every source once in %s, whatever stands beside it',
    async (format) => {
      const over = fc.record({
        title: anyText,
        authors: fc.option(anyText),
        own_citation: fc.option(anyText),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(over, { maxLength: 8 }), async (parts) => {
          const list = parts.map((part, at) => source({ ...part, id: at + 1 }));
          const entries = await citations.list(list, format);
          const told = entries.map((entry) => entry.source_id).sort((a, b) => a - b);
          expect(told).toEqual(list.map(({ id }) => id));
        }),
        { numRuns: 60 },
      );
    },
  );
});
