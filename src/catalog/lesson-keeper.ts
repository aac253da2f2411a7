/** Keeps what search learns between runs: read when first needed, written in the background, forgotten when switched off. */
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { LessonStore as StoredLessons } from '../store/store.ts';
import type { LearningRecord } from './search/learning.ts';

/** Where lessons come from and go to. */
export interface LessonKeeper extends AsyncDisposable {
  readonly enabled: boolean;
  load(): Promise<LearningRecord>;
  save(record: () => LearningRecord): void;
}

/** Lessons are written this long after the first that was not. */
const WRITE_AFTER_MS = 2_000;

/** Creates a keeper; one that is switched off forgets what was kept. */
export function createLessonKeeper(store: StoredLessons, enabled: boolean, clock: Clock): LessonKeeper {
  let pending: (() => LearningRecord) | undefined;
  let cancelWrite: CancelTimer | undefined;

  async function write(): Promise<void> {
    cancelWrite = undefined;
    const record = pending;
    pending = undefined;
    // A lesson that cannot be written is only worth a better rank next time.
    if (record) await store.save(record()).catch(() => {});
  }

  if (!enabled) void store.clear().catch(() => {});
  return {
    enabled,
    load: async () => (enabled ? ((await store.load().catch(() => ({}))) as LearningRecord) : {}),
    save(record) {
      pending = record;
      cancelWrite ??= clock.after(WRITE_AFTER_MS, () => void write());
    },
    async [Symbol.asyncDispose]() {
      cancelWrite?.();
      await write();
    },
  };
}
