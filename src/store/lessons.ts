/** What search learnt, in the database: one row a principal. */
import type { Kysely } from 'kysely';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Tables } from './schema.ts';
import type { LessonRecord, LessonStore } from './store.ts';

/** Keeps lessons in a migrated database. */
export function createLessonStore(db: Kysely<Tables>): LessonStore {
  return {
    async load() {
      const rows = await db.selectFrom('lessons').select(['principal', 'lessons']).execute();
      return Object.fromEntries(rows.map(({ principal, lessons }) => [principal, parseLessons(lessons)]));
    },
    async save(record: LessonRecord) {
      for (const [principal, lessons] of Object.entries(record)) {
        const row = { lessons: JSON.stringify(lessons) };
        await db
          .insertInto('lessons')
          .values({ principal, ...row })
          .onConflict((conflict) => conflict.column('principal').doUpdateSet(row))
          .execute();
      }
    },
    async clear() {
      await db.deleteFrom('lessons').execute();
    },
  };
}

/** Rows that cannot be read count as nothing learnt. */
function parseLessons(text: string): readonly JsonObject[] {
  try {
    const value = JSON.parse(text) as JsonValue;
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  } catch {
    return [];
  }
}
