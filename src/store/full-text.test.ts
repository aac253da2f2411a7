import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import type { Migration } from './migrate.ts';
import type { Database } from './store.ts';
import { toGrams } from './terms.ts';

interface Tables {
  readonly notes: {
    readonly id: number;
    readonly owner: string;
    readonly text: string;
    readonly grams: string | null;
  };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'notes',
    id: '0001-notes',
    async up(db, ddl) {
      await db.schema
        .createTable('notes')
        .addColumn('id', 'integer', ddl.id)
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('grams', 'text')
        .execute();
      await ddl.createFullText(db, { table: 'notes', columns: ['text', 'grams'] });
    },
  },
];

async function openNotes(...texts: readonly string[]): Promise<Database<Tables>> {
  const notes = await createMemoryStore().tables<Tables>('notes', MIGRATIONS);
  for (const [at, text] of texts.entries()) await add(notes, at + 1, text);
  return notes;
}

async function add({ db }: Database<Tables>, id: number, text: string, owner = 'a'): Promise<void> {
  await db
    .insertInto('notes')
    .values({ id, owner, text, grams: toGrams(text) })
    .execute();
}

async function find({ fullText }: Database<Tables>, text: string, limit = 10): Promise<number[]> {
  return (await fullText.rank({ table: 'notes', text, limit })).map(({ id }) => id);
}

describe('rank', () => {
  it('takes little words seriously when nothing else is found', async () => {
    const notes = await openNotes('Hates war movies.', 'Their son is called Max.', 'Works in IT at UNO.');
    expect(await find(notes, 'war film')).toEqual([1]);
    expect(await find(notes, 'son name')).toEqual([2]);
    expect(await find(notes, 'IT job')).toEqual([3]);
  });

  it('finds rows that hold any of the words, those with rare words first', async () => {
    const notes = await openNotes('the spring harbour', 'the coffee harbour', 'the spring rain', 'the tea');
    expect((await find(notes, 'What was it about coffee in the spring?'))[0]).toBe(2);
    expect(new Set(await find(notes, 'coffee spring'))).toEqual(new Set([1, 2, 3]));
    expect(await find(notes, 'nothing of this')).toEqual([]);
  });

  it('looks for words that only hold a sentence together when there are no others', async () => {
    const notes = await openNotes('the boiler in the cellar', 'coffee');
    expect(await find(notes, 'is there any coffee in the house')).toEqual([2]);
    expect(await find(notes, 'in the')).toEqual([1]);
  });

  it('looks past case, accents and endings', async () => {
    const notes = await openNotes('Déployments in ZÜRICH', 'something else');
    expect(await find(notes, 'deployment')).toEqual([1]);
    expect(await find(notes, 'deployed zurich')).toEqual([1]);
  });

  it('puts a row with a frequent word beside the rare one before a row with the rare word alone', async () => {
    const { db, fullText } = await openNotes();
    const frequent = Array.from({ length: 14_000 }, (_, at) =>
      at % 7 === 0 ? 'common word' : 'other thing',
    );
    const texts = ['harbour here', 'harbour common', 'harbour quay', ...frequent, 'common word'];
    const rows = texts.map((text) => ({ owner: 'a', text, grams: null }));
    for (let at = 0; at < rows.length; at += 300) {
      const values = rows.slice(at, at + 300) as never;
      await db.insertInto('notes').values(values).execute();
    }
    const rank = (text: string) => fullText.rank({ table: 'notes', text, limit: 2 });
    expect((await rank('common harbour'))[0]?.id).toBe(2);
    // Where rare words find too little, frequent ones help out.
    expect((await rank('quay word')).map(({ id }) => id)).toEqual([3, texts.length]);
    const where = [{ column: 'id', is: '>=', value: 10 }] as const;
    const found = await fullText.rank({ table: 'notes', text: 'harbour word', limit: 1, where });
    expect(found.map(({ id }) => id)).toEqual([texts.length]);
    // Frequent words alone: every hit holds them all, and of equals the newest come first.
    expect((await rank('common word'))[0]?.id).toBe(texts.length);
  });

  it.each([
    ['我喜欢喝咖啡，不喝茶', '咖啡'],
    ['我喜欢喝咖啡，不喝茶', '茶'],
    ['東京タワーへ行きました', 'タワー'],
    ['서울에서 만나요', '서울'],
    ['ฉันชอบกาแฟ', 'กาแฟ'],
  ])('finds in %s what is written without spaces: %s', async (text, query) => {
    const notes = await openNotes('plain words', text);
    expect(await find(notes, query)).toEqual([2]);
  });

  it('follows changes and deletions', async () => {
    const notes = await openNotes('coffee', 'tea');
    await notes.db.updateTable('notes').set({ text: 'water' }).where('id', '=', 1).execute();
    await notes.db.deleteFrom('notes').where('id', '=', 2).execute();
    expect(await find(notes, 'coffee tea')).toEqual([]);
    expect(await find(notes, 'water')).toEqual([1]);
  });

  it('counts only rows that meet the conditions against the limit', async () => {
    const notes = await openNotes();
    for (let id = 1; id <= 20; id++) await add(notes, id, 'coffee', id === 1 ? 'b' : 'a');
    const where = [{ column: 'owner', is: '=', value: 'b' }] as const;
    expect(await notes.fullText.rank({ table: 'notes', text: 'coffee', limit: 1, where })).toMatchObject([
      { id: 1 },
    ]);
    const among = [{ column: 'id', is: 'in', value: [3, 4, 99] }] as const;
    expect(
      await notes.fullText.rank({ table: 'notes', text: 'coffee', limit: 9, where: among }),
    ).toHaveLength(2);
    const none = [{ column: 'id', is: 'in', value: [] }] as const;
    expect(await notes.fullText.rank({ table: 'notes', text: 'coffee', limit: 9, where: none })).toEqual([]);
  });

  it('takes any text for words, never for a query', async () => {
    const notes = await openNotes('coffee and tea');
    const hostile = [
      '"',
      'a AND',
      'NEAR(coffee, 2)',
      '*',
      '^coffee',
      'text:coffee',
      "'; drop table notes;--",
      '-',
    ];
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...hostile));
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        for (const { score } of await notes.fullText.rank({ table: 'notes', text, limit: 3 }))
          expect(score).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(await find(notes, 'text:coffee')).toEqual([1]);
  });

  it('finds every text by any of its words', async () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(word, { minLength: 1, maxLength: 8 }), fc.nat(), async (words, at) => {
        const notes = await openNotes(words.join(' '));
        expect(await find(notes, words[at % words.length]!)).toEqual([1]);
      }),
      { numRuns: 20 },
    );
  });
});
