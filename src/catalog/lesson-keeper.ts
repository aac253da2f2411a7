/** Keeps what search learns between runs: read when first needed, written in the background, forgotten when switched off. */
import type { Clock } from '../lib/clock.ts';
import { createLateWriter } from '../lib/late-writer.ts';
import type { LessonStore as StoredLessons } from '../store/store.ts';
import type { LearningRecord } from './search/learning.ts';

/** Where lessons come from and go to. */
export interface LessonKeeper extends AsyncDisposable {
  readonly enabled: boolean;
  load(): Promise<LearningRecord>;
  save(record: () => LearningRecord): void;
}

/** True for a lesson about a tool of this upstream, by its key. */
export function isLessonOf(upstream: string, key: string): boolean {
  return key.startsWith(`${upstream}\0`);
}

/** Forgets in the store what was learnt of an upstream. */
export async function forgetLessons(store: StoredLessons, upstream: string): Promise<void> {
  const record = (await store.load()) as LearningRecord;
  const kept = Object.entries(record).map(
    ([principal, lessons]) =>
      [principal, lessons.filter(({ key }) => !isLessonOf(upstream, String(key)))] as const,
  );
  await store.save(Object.fromEntries(kept));
}

/** Creates a keeper; one that is switched off forgets what was kept. */
export function createLessonKeeper(store: StoredLessons, enabled: boolean, clock: Clock): LessonKeeper {
  let pending: (() => LearningRecord) | undefined;
  // A lesson that cannot be written is only worth a better rank next time.
  const writer = createLateWriter({
    clock,
    async write() {
      const record = pending;
      pending = undefined;
      if (record) await store.save(record());
    },
  });

  if (!enabled) void store.clear().catch(() => {});
  return {
    enabled,
    load: async () => (enabled ? ((await store.load().catch(() => ({}))) as LearningRecord) : {}),
    save(record) {
      pending = record;
      writer.soon();
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}
