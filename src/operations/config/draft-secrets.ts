/** Secrets that are only pencilled in: an operation can see what it would save before it saves anything. */
import type { JsonValue } from '../../model/json.ts';
import type { Secrets } from '../../store/secrets.ts';
import { secretNamesIn } from '../secret-values.ts';

/** Kept values with others on top that are not kept yet. */
export interface DraftSecrets extends Secrets {
  /** Saves what was pencilled in and is referred to, and that can be taken back. */
  commit(document: JsonValue): Promise<{ undo(): Promise<void> }>;
}

/** Opens a draft over the kept values. */
export function draftSecrets(kept: Secrets): DraftSecrets {
  const drafted = new Map<string, string>();
  return {
    names: async () => [...new Set([...(await kept.names()), ...drafted.keys()])].sort(),
    all: async () => new Map([...(await kept.all()), ...drafted]),
    async save(name, value) {
      drafted.set(name, value);
    },
    async remove(name) {
      drafted.delete(name);
    },
    async commit(document) {
      const used = secretNamesIn(document).filter((name) => drafted.has(name));
      for (const name of used) await kept.save(name, drafted.get(name) ?? '');
      return {
        async undo() {
          for (const name of used) await kept.remove(name);
        },
      };
    },
  };
}

/** Forgets the values that a document referred to and refers to no more. */
export async function forgetUnused(
  before: JsonValue,
  after: JsonValue,
  secrets: () => Promise<Secrets>,
): Promise<void> {
  const still = new Set(secretNamesIn(after));
  const unused = secretNamesIn(before).filter((name) => !still.has(name));
  if (unused.length === 0) return;
  const kept = await secrets();
  for (const name of unused) await kept.remove(name);
}
