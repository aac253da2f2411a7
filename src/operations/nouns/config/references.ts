/** What a configuration refers to and has to be given on another machine. */
import * as z from 'zod';
import { toPathText } from '../../../config/faults.ts';
import type { JsonValue } from '../../../model/json.ts';
import { toShellWord } from '../../shown/quote.ts';

/** Something that is referred to, and where. */
export const NEED = z.object({
  /** `secret:NAME` or `env:NAME`. */
  name: z.string(),
  for: z.array(z.string()),
});

/** Something that is referred to, and where. */
export type Need = z.infer<typeof NEED>;

const REFERENCE = /\$\{(?:(secret):([A-Za-z_][\w.-]*)|(?:env:)?([A-Za-z_]\w*))\}/g;

/** Every reference without something to fall back on, by name. */
export function findNeeds(document: JsonValue): readonly Need[] {
  const places = new Map<string, string[]>();
  const visit = (value: JsonValue | undefined, path: readonly (string | number)[]): void => {
    if (typeof value === 'string') {
      for (const [, secret, kept, variable] of value.matchAll(REFERENCE)) {
        const name = secret ? `secret:${kept}` : `env:${variable}`;
        places.set(name, [...(places.get(name) ?? []), toPathText(path)]);
      }
    } else if (Array.isArray(value))
      value.forEach((each: JsonValue, index) => void visit(each, [...path, index]));
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
  };
  visit(document, []);
  return [...places]
    .map(([name, found]) => ({ name, for: [...new Set(found)] }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Those that this machine has neither among its kept values nor among its variables. */
export function findMissing(
  needs: readonly Need[],
  kept: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Need[] {
  return needs.filter((need) => {
    const name = need.name.slice(need.name.indexOf(':') + 1);
    return need.name.startsWith('secret:') ? !kept.includes(name) : env[name] === undefined;
  });
}

/** What a person has to do about each. */
export function toNeedLines(missing: readonly Need[]): readonly string[] {
  return missing.map(({ name, for: places }) => {
    const [first = ''] = places;
    return name.startsWith('secret:')
      ? `Needed: ${name.slice(7)}; give it with: thimble config set ${toShellWord(first)} <value>`
      : `Needed: the variable ${name.slice(4)}, for ${places.join(', ')}; set it where Thimble is started`;
  });
}
