/** Forgets kept values, but none that a configuration of this home still refers to. */
import { readOtherConfigurations } from '../../config/trust.ts';
import type { JsonValue } from '../../model/json.ts';
import type { House } from '../house.ts';
import { secretNamesIn } from './secret-values.ts';
import { inTurn } from './secrets-turn.ts';

type Place = Pick<House, 'config' | 'secrets' | 'home'>;

/** Those of the names that are kept and that nothing refers to once the configuration in use is as given. */
export async function findUnused(
  names: readonly string[],
  after: JsonValue,
  house: Place,
): Promise<readonly string[]> {
  const inUse = new Set(secretNamesIn(after));
  const free = names.filter((name) => !inUse.has(name));
  if (free.length === 0) return [];
  const others = await readOtherConfigurations((await house.config.read()).path, house);
  // What cannot be read may refer to any of them.
  if (!others) return [];
  const elsewhere = new Set(others.flatMap((text) => secretNamesIn(text)));
  const kept = new Set(await (await house.secrets()).names());
  return free.filter((name) => kept.has(name) && !elsewhere.has(name));
}

/** Forgets those of the names that nothing refers to by now, and gives them. */
export async function forgetUnused(names: readonly string[], house: Place): Promise<readonly string[]> {
  const find = async () => findUnused(names, (await house.config.read()).value, house);
  if ((await find()).length === 0) return [];
  return inTurn(house, async () => {
    const unused = await find();
    const secrets = await house.secrets();
    for (const name of unused) await secrets.remove(name);
    return unused;
  });
}
