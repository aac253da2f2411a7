/** Secrets that are only pencilled in: an operation can see what it would save before it saves anything. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { House } from '../house.ts';
import { sealSecrets, secretNamesIn } from './secret-values.ts';
import { inTurn } from './secrets-turn.ts';

/** Kept values with others on top that are not kept yet. */
export interface DraftSecrets extends Secrets {
  /** Saves what was pencilled in and the document refers to, then writes; when either fails nothing of it stays saved. */
  saveFor<Result>(document: JsonValue, write: () => Promise<Result>): Promise<Result>;
}

/** Opens a draft over the kept values of a house. */
export async function draftSecrets(house: Pick<House, 'secrets' | 'store' | 'home'>): Promise<DraftSecrets> {
  const kept = await house.secrets();
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
    async saveFor(document, write) {
      const used = secretNamesIn(document).filter((name) => drafted.has(name));
      if (used.length === 0) return write();
      await refuseFleeting(house);
      const values = used.map((name) => [name, drafted.get(name) ?? ''] as const);
      return inTurn(house, () => saveAndWrite(kept, values, write));
    },
  };
}

async function saveAndWrite<Result>(
  kept: Secrets,
  values: readonly (readonly [name: string, value: string])[],
  write: () => Promise<Result>,
): Promise<Result> {
  const [there, names] = [await kept.all(), new Set(await kept.names())];
  const taken = values.find(([name, value]) => names.has(name) && there.get(name) !== value);
  if (taken) throw toTakenError(taken[0]);
  const saved: string[] = [];
  try {
    for (const [name, value] of values) {
      // What somebody else saved is theirs, and stays when this is taken back.
      if (names.has(name)) continue;
      await kept.save(name, value);
      saved.push(name);
    }
    return await write();
  } catch (error) {
    for (const name of saved) await kept.remove(name);
    throw error;
  }
}

/** Names were free when they were pencilled in, so somebody else changes the same right now. */
function toTakenError(name: string): GatewayError {
  return new GatewayError(
    'NAME_TAKEN',
    `the secret ${name} was saved by somebody else in the meantime, so nothing was written; look at what they did, then try again`,
  );
}

/** A reference to a value that ends with this process would be worth nothing. */
async function refuseFleeting(house: Pick<House, 'store'>): Promise<void> {
  const { degraded } = await house.store();
  if (degraded !== undefined)
    throw new GatewayError('STORE_UNAVAILABLE', `its secrets could not be kept: ${degraded}`);
}

/** A section of entries by name, with what is secret in each sealed. */
export async function sealSection(section: JsonObject, secrets: Secrets): Promise<JsonObject> {
  const sealed: [string, JsonValue][] = [];
  for (const [name, entry] of Object.entries(section)) {
    if (entry === undefined) continue;
    sealed.push([name, isJsonObject(entry) ? await sealSecrets(name, entry, secrets) : entry]);
  }
  return Object.fromEntries(sealed);
}

/** The same for what may be no section at all, such as a switch for all of it. */
export async function sealEach(value: JsonValue, secrets: Secrets): Promise<JsonValue> {
  return isJsonObject(value) ? sealSection(value, secrets) : value;
}
