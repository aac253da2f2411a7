/** Storing, changing and deleting memories. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { toGrams } from '../../../store/terms.ts';
import { ADDS, defineTool, REPLACES } from '../../builtin.ts';
import { toTagKeys } from '../../tag-keys.ts';
import { orNull } from '../../text.ts';
import type { Memory } from '../context.ts';
import { importance, longText, saidLine, saidText, shortText } from '../fields.ts';

/** Keeps something new. */
export const storeMemory = defineTool({
  name: 'store_memory',
  title: 'Store a memory',
  description: 'Remember something across conversations',
  input: z.object({
    content: saidText(),
    category: saidLine()
      .default('general')
      .describe('general, project, preference, person, process, decision, learning, goal or another'),
    context: longText().optional().describe('when it matters'),
    tags: shortText().optional().describe('comma separated'),
    source: shortText().optional(),
    importance: importance().default(5),
  }),
  output: z.object({ id: z.int(), category: z.string(), importance: z.int() }),
  annotations: ADDS,
  async run({ content, category, importance: weight, ...rest }, memory: Memory) {
    const now = memory.now();
    const texts = { context: orNull(rest.context), tags: orNull(rest.tags), source: orNull(rest.source) };
    const { id } = await memory.db
      .insertInto('memories')
      .values({
        principal: memory.principal,
        content,
        category,
        ...texts,
        importance: weight,
        created_at: now,
        updated_at: now,
        accessed_at: null,
        access_count: 0,
        grams: toGrams(content, category, ...Object.values(texts)),
        tag_keys: toTagKeys(texts.tags),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, category, importance: weight };
  },
  toText: ({ id, importance: weight }) => `Stored as memory ${id}, importance ${weight}.`,
});

/** Changes what was kept. */
export const updateMemory = defineTool({
  name: 'update_memory',
  title: 'Update a memory',
  description: 'Change a memory; what is not given stays',
  input: z.object({
    id: z.int(),
    content: saidText().optional(),
    category: saidLine().optional(),
    context: longText().optional().describe('empty text clears it, as for tags and source'),
    tags: shortText().optional(),
    source: shortText().optional(),
    importance: importance().optional(),
  }),
  output: z.object({ id: z.int(), updated_at: z.string() }),
  annotations: REPLACES,
  async run({ id, ...changes }, memory: Memory) {
    if (Object.keys(changes).length === 0) {
      const message = `nothing to update in memory ${id}: give content, category, context, tags, source or importance`;
      throw new GatewayError('INVALID_PARAMS', message);
    }
    const updated_at = memory.now();
    await memory.db.transaction().execute(async (transaction) => {
      const old = await transaction
        .selectFrom('memories')
        .select(['content', 'category', 'context', 'tags', 'source'])
        .where('id', '=', id)
        .where('principal', '=', memory.principal)
        .executeTakeFirst();
      if (!old) throw toUnknownMemory(id);
      const texts = {
        content: changes.content ?? old.content,
        category: changes.category ?? old.category,
        context: toOptional(changes.context, old.context),
        tags: toOptional(changes.tags, old.tags),
        source: toOptional(changes.source, old.source),
      };
      const keys = { grams: toGrams(...Object.values(texts)), tag_keys: toTagKeys(texts.tags) };
      const weight = changes.importance === undefined ? {} : { importance: changes.importance };
      await transaction
        .updateTable('memories')
        .set({ ...texts, ...keys, ...weight, updated_at })
        .where('id', '=', id)
        .execute();
    });
    return { id, updated_at };
  },
  toText: ({ id }) => `Updated memory ${id}.`,
});

/** Forgets. */
export const deleteMemory = defineTool({
  name: 'delete_memory',
  title: 'Delete a memory',
  description: 'Forget a memory for good',
  input: z.object({ id: z.int() }),
  output: z.object({ id: z.int() }),
  annotations: REPLACES,
  async run({ id }, memory: Memory) {
    const { numDeletedRows } = await memory.db
      .deleteFrom('memories')
      .where('id', '=', id)
      .where('principal', '=', memory.principal)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw toUnknownMemory(id);
    return { id };
  },
  toText: ({ id }) => `Deleted memory ${id}.`,
});

function toOptional(next: string | undefined, old: string | null): string | null {
  return next === undefined ? old : orNull(next);
}

function toUnknownMemory(id: number): GatewayError {
  return new GatewayError('INVALID_PARAMS', `there is no memory ${id}; find its id with search_memories`);
}
