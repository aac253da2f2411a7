/** Secrets that are only pencilled in: an operation can see what it would save before it saves anything. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { Secrets } from '../../store/secrets.ts';
import { sealSecrets, secretNamesIn } from './secret-values.ts';

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

/** The kept values that a document refers to before and not after. */
export async function findUnused(
  before: JsonValue,
  after: JsonValue,
  secrets: () => Promise<Pick<Secrets, 'names'>>,
): Promise<readonly string[]> {
  const still = new Set(secretNamesIn(after));
  const unused = secretNamesIn(before).filter((name) => !still.has(name));
  if (unused.length === 0) return [];
  const kept = await (await secrets()).names();
  return unused.filter((name) => kept.includes(name));
}

/** Forgets the values that a document referred to and refers to no more. */
export async function forgetUnused(
  before: JsonValue,
  after: JsonValue,
  secrets: () => Promise<Secrets>,
): Promise<void> {
  const unused = await findUnused(before, after, secrets);
  if (unused.length === 0) return;
  const kept = await secrets();
  for (const name of unused) await kept.remove(name);
}

/** A section of entries by name, with what is secret in each sealed. */
export async function sealEach(value: JsonValue, secrets: Secrets): Promise<JsonValue> {
  if (!isJsonObject(value)) return value;
  const sealed: [string, JsonValue][] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    sealed.push([name, isJsonObject(entry) ? (await sealSecrets(name, entry, secrets)).entry : entry]);
  }
  return Object.fromEntries(sealed);
}
