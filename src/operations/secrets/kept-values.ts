/** What must not be told: every value that is kept sealed or written into the configuration, to be left out of texts that others wrote. */
import { createResolver } from '../../config/references.ts';
import { isJsonObject } from '../../model/json.ts';
import type { House } from '../house.ts';
import { scrub, secretsIn } from './secret-values.ts';

/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

type Place = Pick<House, 'secrets' | 'config' | 'env'>;

/** Makes what hides secrets; those of a store or a file that does not open are not known to anybody here. */
export async function readHide(house: Place): Promise<Hide> {
  const values = await readSecretTexts(house);
  return (text) => scrub(text, values);
}

/** The secrets themselves, for those who have their own way to leave them out. */
export async function readSecretTexts(house: Place): Promise<readonly string[]> {
  const kept = await readKept(house);
  return [...kept.values(), ...(await readWritten(house, kept))];
}

async function readKept(house: Place): Promise<ReadonlyMap<string, string>> {
  try {
    return await (await house.secrets()).all();
  } catch {
    return new Map();
  }
}

/** What people wrote into the entries of servers, and what references lead to. */
async function readWritten({ config, env }: Place, kept: ReadonlyMap<string, string>): Promise<string[]> {
  const content = await config.read().catch(() => undefined);
  const servers = content?.value['mcpServers'];
  const resolve = createResolver(env, () => kept);
  return Object.values(isJsonObject(servers) ? servers : {})
    .filter(isJsonObject)
    .flatMap((entry) => {
      const resolution = resolve(entry);
      return secretsIn(resolution.ok ? resolution.options : entry);
    });
}
