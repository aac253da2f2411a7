import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../../test/support/quickest.ts';
import { createSearchEngine } from './engine.ts';
import type { SearchEngine, SearchSource } from './search.ts';

/** Tools written for these tests: `server:name` and what it does. */
const TOOLS: Readonly<Record<string, string>> = {
  'github:create_issue': 'Open a new issue in a repository.',
  'github:list_issues': 'List the issues of a repository.',
  'github:create_pull_request': 'Propose changes from a branch.',
  'mail:send_message': 'Send an email to somebody.',
  'mail:search': 'Search the inbox for messages.',
  'files:read_file': 'Read a file from disk.',
  'files:deleteFile': 'Delete a file from disk.',
  'weather:current': 'Temperature and wind at a place right now.',
  'cinema:showtimes': 'Which films are on and when.',
  'jira:create_issue': 'File a ticket on a board.',
};

function toSource(path: string, description: string): SearchSource {
  const [server = '', name = ''] = path.split(':');
  return { key: path, name, definition: { name, description }, server: { id: server, name: server } };
}

const SOURCES = Object.entries(TOOLS).map(([path, description]) => toSource(path, description));

function openEngine(sources = SOURCES): SearchEngine {
  const engine = createSearchEngine({ loadVectors: undefined });
  engine.update(sources);
  return engine;
}

const find = (engine: SearchEngine, query: string, limit = 5) =>
  engine.search(query, { limit }).map(({ key }) => key);

describe('finding tools by words', () => {
  const engine = openEngine();

  it('finds a tool by server and words', () => {
    expect(find(engine, 'github create issue')[0]).toBe('github:create_issue');
    expect(find(engine, 'I want to remove a file')[0]).toBe('files:deleteFile');
  });

  it.each([
    'github:create_issue',
    'github__create_issue',
    'github/create_issue',
    'github-create_issue',
    'GITHUB_create_issue',
  ])('finds the path %s first', (path) => {
    expect(find(engine, path)[0]).toBe('github:create_issue');
  });

  it('finds an exact name first', () => {
    expect(find(engine, 'search')[0]).toBe('mail:search');
    expect(find(engine, 'deleteFile')[0]).toBe('files:deleteFile');
  });

  it('forgives a typo where the word stands nowhere', () => {
    expect(find(engine, 'wheather')).toEqual(find(engine, 'weather'));
    expect(find(engine, 'reposiotry')).toContain('github:list_issues');
  });

  it('understands words for the same thing', () => {
    expect(find(engine, 'which movie is playing')[0]).toBe('cinema:showtimes');
  });

  it('finds nothing for nothing', () => {
    expect(find(engine, '')).toEqual([]);
    expect(find(engine, '???')).toEqual([]);
    expect(find(engine, 'issue', 0)).toEqual([]);
    expect(find(openEngine([]), 'issue')).toEqual([]);
  });

  it('shows a tool for each step of a long request', () => {
    const hits = find(
      engine,
      'Read the file with the notes from disk, then create an issue in the github repository, and send an email to somebody.',
      3,
    );
    expect(hits).toContain('files:read_file');
    expect(hits).toContain('mail:send_message');
    expect(hits).toContain('github:create_issue');
  });

  it('keeps to one server when asked', () => {
    const hits = engine.search('create issue', { limit: 5, server: 'jira' });
    expect(hits.map(({ key }) => key)).toEqual(['jira:create_issue']);
  });

  it('follows what was learned', () => {
    const boosts = new Map([['mail:send_message', 1]]);
    expect(engine.search('tell bob the temperature', { limit: 1, boosts })[0]?.key).toBe('mail:send_message');
  });

  it('explains a score by fields and bonuses that add up', () => {
    for (const { score, explain } of engine.search('create github issue', { limit: 5 })) {
      const { fields, bonuses } = explain();
      const sum = [...Object.values(fields), ...Object.values(bonuses)].reduce(
        (total, part) => total + part,
        0,
      );
      expect(sum).toBeCloseTo(score, 4);
    }
  });
});

describe('the filter of a search', () => {
  it('is applied before the limit', () => {
    fc.assert(
      fc.property(fc.subarray(SOURCES), fc.integer({ min: 1, max: 12 }), (visible, limit) => {
        const keys = new Set(visible.map(({ key }) => key));
        const engine = openEngine();
        const all = engine.search('create file issue message search', { limit: SOURCES.length });
        const hits = engine.search('create file issue message search', {
          limit,
          where: (key) => keys.has(key),
        });
        expect(hits.every(({ key }) => keys.has(key))).toBe(true);
        expect(hits.length).toBe(Math.min(limit, all.filter(({ key }) => keys.has(key)).length));
      }),
      { numRuns: 50 },
    );
  });
});

describe('an engine kept in step', () => {
  it('answers like a new one, whatever came before', () => {
    const steps = fc.array(fc.subarray(SOURCES), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('create issue', 'file', 'send email then read a file'),
        (states, query) => {
          const engine = openEngine([]);
          for (const state of states) engine.update(state);
          const fresh = openEngine([...(states.at(-1) ?? [])].reverse());
          expect(engine.size).toBe(fresh.size);
          const scores = (hits: ReturnType<SearchEngine['search']>) =>
            // Sums of floats depend on their order in the last digits.
            hits.map(({ key, score }) => ({ key, score: score.toFixed(6) }));
          expect(scores(engine.search(query, { limit: 20 }))).toEqual(
            scores(fresh.search(query, { limit: 20 })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads only definitions that changed', () => {
    let reads = 0;
    const counted = SOURCES.map((source) => ({
      ...source,
      definition: Object.defineProperty({ ...source.definition }, 'inputSchema', {
        enumerable: true,
        get() {
          reads++;
          return {};
        },
      }),
    }));
    const engine = openEngine(counted);
    reads = 0;
    engine.update([...counted].reverse());
    engine.update(counted.slice(1));
    expect(reads).toBe(0);
    engine.update(counted);
    expect(reads).toBe(1);
  });

  it('finds a changed tool by its new words only', () => {
    const engine = openEngine();
    const changed = SOURCES.map((source) =>
      source.key === 'weather:current' ? toSource(source.key, 'Barometer readings') : source,
    );
    engine.update(changed);
    expect(find(engine, 'barometer')).toEqual(['weather:current']);
    expect(find(engine, 'wind')).toEqual([]);
  });
});

describe('meaning', () => {
  it('finds what shares no word, once it has settled', async () => {
    const engine = createSearchEngine();
    engine.update(SOURCES);
    await engine.settled();
    expect(find(engine, 'actress hollywood')[0]).toBe('cinema:showtimes');
    engine.update(SOURCES.filter(({ key }) => key !== 'mail:search'));
    expect(find(engine, 'actress hollywood')[0]).toBe('cinema:showtimes');
    await engine.settled();
    expect(find(engine, 'actress hollywood')[0]).toBe('cinema:showtimes');
  });
});

describe('meanings that cannot be had', () => {
  it('leave search to the words, and are reported', async () => {
    const faults: unknown[] = [];
    const fault = new Error('no table');
    const engine = createSearchEngine({
      loadVectors: () => Promise.reject(fault),
      onFault: (error) => faults.push(error),
    });
    engine.update(SOURCES);
    await engine.settled();
    expect(faults).toEqual([fault]);
    expect(find(engine, 'github create issue')[0]).toBe('github:create_issue');
  });
});

describe('odd queries', () => {
  it.each([
    ['a pattern that backtracks', `${'(a+)+'.repeat(400)}$`],
    ['one endless word', 'a'.repeat(200_000)],
    ['nothing but separators', '_-:/.'.repeat(40_000)],
    ['nested calls', 'AND('.repeat(30_000)],
    ['invisible marks', '\u202e\u200b'.repeat(50_000)],
    ['combining marks', 'e\u0301'.repeat(50_000)],
    ['many different words', Array.from({ length: 20_000 }, (_, n) => `word${n}`).join(' ')],
    ['letters of scripts without spaces', '天气搜索'.repeat(20_000)],
  ])('answers %s at once', async (_, query) => {
    const engine = openEngine();
    expect(await quickestOf(5, () => engine.search(query, { limit: 5 }))).toBeLessThan(50);
  });

  it('answers any text', () => {
    const engine = openEngine();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (query) => {
        const hits = engine.search(query, { limit: 3 });
        expect(hits.length).toBeLessThanOrEqual(3);
        for (let at = 1; at < hits.length; at++)
          expect(hits[at]!.score).toBeLessThanOrEqual(hits[at - 1]!.score);
      }),
    );
  });
});
