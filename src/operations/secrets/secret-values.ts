/** What of a server entry is secret, the one judgement of it: hidden wherever it is shown, sealed wherever it is kept. */

import { hasReference } from '../../config/references.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { type Secrets, toSecretReference } from '../../store/secrets.ts';
import { type EntryText, mapEntryTexts } from './entry-walk.ts';
import { isUsedAsProgram } from './program-text.ts';
import { looksSecret, PAIR, secretMembersIn, USER_INFO } from './secret-marks.ts';
import { MIN_KNOWN, mapArg, mapKnown, mapLogin, mapText, mapWords, type TextRule } from './text-secrets.ts';

export { looksSecret } from './secret-marks.ts';

/** What stands where a secret would. */
export const HIDDEN = '(hidden)';

/** `password: …` in what a program says. */
const NAMED = /((?:token|secret|password|passwd|api[_-]?key|credential)["']?\s*[:=]\s*["']?)[^\s"'()]{4,}/gi;
const MIN_LINE = 12;

/** An entry as it may be shown: what its variables and headers hold is left out, and known secrets; references stay. */
export function hideSecrets(entry: JsonObject, known: Iterable<string> = []): JsonObject {
  const rule: TextRule = { replace: () => HIDDEN, isSecret: looksSecret, known: [...known] };
  const values: TextRule = { ...rule, isSecret: (_name, value) => value.trim() !== '', isWhole: true };
  return mapEntryTexts(entry, (text) => mapOpen(text, text.place === 'value' ? values : rule));
}

/** What hides an entry from whom it is shown to before they agree. */
export interface Hiding {
  /** Values that are secret whatever they look like. */
  readonly known?: Iterable<string> | undefined;
  /** Values that everybody knows, whatever they look like. */
  readonly open?: Iterable<string> | undefined;
  /** What stands where a secret would. */
  readonly mark?: string;
}

/** An entry as a plan shows it: all that decides what runs is there, and only what is secret by itself is left out. */
export function hideForPlan(
  entry: JsonObject,
  { known = [], open = [], mark = HIDDEN }: Hiding = {},
): JsonObject {
  const { command, args } = entry;
  const list: readonly unknown[] = Array.isArray(args) ? args : [];
  const program = typeof command === 'string' ? command : undefined;
  const rule: TextRule = {
    replace: () => mark,
    isSecret: looksSecret,
    known: [...known],
    open: new Set(open),
  };
  const values: TextRule = {
    ...rule,
    isSecret: (name, value) => looksSecret(name, value) && !isUsedAsProgram(name, value, program, list),
  };
  return mapEntryTexts(entry, (text) => mapAgreed(text, text.place === 'value' ? values : rule));
}

/** An entry with its secrets saved, each under a readable name, and referred to. */
export async function sealSecrets(
  owner: string,
  entry: JsonObject,
  secrets: Secrets,
  { known = [], open = [] }: Omit<Hiding, 'mark'> = {},
): Promise<JsonObject> {
  const kept = new Map(await secrets.all());
  // Those our key does not open are taken all the same.
  const taken = new Set(await secrets.names());
  const used = new Set<string>();
  const rule: TextRule = {
    known: [...known],
    open: new Set(open),
    isSecret: looksSecret,
    replace(label, value) {
      const name = toFreeName(`${owner}.${label}`, (tried) => taken.has(tried) && kept.get(tried) !== value);
      used.add(name);
      taken.add(name);
      kept.set(name, value);
      return toSecretReference(name);
    },
  };
  const sealed = mapEntryTexts(entry, (text) => mapAgreed(text, rule));
  // Those that are there as well: somebody else may forget them before this is written.
  for (const name of used) await secrets.save(name, kept.get(name) ?? '');
  return sealed;
}

/** Every secret text that stands in an entry as it is, such as one whose references were resolved. */
export function secretsIn(entry: JsonObject): readonly string[] {
  const found: string[] = [];
  const replace = (_label: string, value: string) => {
    found.push(value);
    return HIDDEN;
  };
  mapEntryTexts(entry, (text) => mapOpen(text, { replace, isSecret: looksSecret, known: [] }));
  return found;
}

/** The names of the kept values an entry refers to. */
export function secretNamesIn(value: JsonValue | undefined): readonly string[] {
  const text = JSON.stringify(value ?? null);
  return [...new Set([...text.matchAll(/\$\{secret:([A-Za-z_][\w.-]*)\}/g)].map((match) => match[1] ?? ''))];
}

/** A text of somebody else's with the given values, and all that looks like a token, left out. */
export function scrub(text: string, values: Iterable<string>): string {
  const known = [...new Set([...values].flatMap(toForms))].sort((a, b) => b.length - a.length);
  const without = known.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
  return without
    .replace(/\b(bearer|basic)\s+[^\s"']{4,}/gi, `$1 ${HIDDEN}`)
    .replace(NAMED, (_whole, head: string) => `${head}${HIDDEN}`)
    .replace(/[^\s"'`<>]{6,}/g, (word) => mapArg('', word, HIDING));
}

/** What a program may make of a value when it writes it down: itself, or the parts that are secret by themselves. */
function toForms(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= MIN_LINE && !line.startsWith('-----'));
  const pairs = [...value.matchAll(PAIR)].map((match) => match[2] ?? '');
  const user = USER_INFO.exec(value)?.[2] ?? '';
  const members = secretMembersIn(value);
  return [value, ...lines, ...pairs, ...members, user, user.slice(user.indexOf(':') + 1)].filter(
    (form) => form.length >= MIN_KNOWN,
  );
}

const HIDING: TextRule = { replace: () => HIDDEN, isSecret: looksSecret, known: [] };

/** Where nobody agrees to what is run, what decides it is looked through like the rest. */
function mapOpen({ place, name, text, decidesWhatRuns }: EntryText, rule: TextRule): string {
  if (place !== 'argument') return mapText(name, text, rule);
  return decidesWhatRuns ? mapWords(text, rule) : mapArg(name, text, rule);
}

/** What is started, and where, has to be seen by whoever agrees to it, and stays as it is. */
function mapAgreed({ place, name, text, decidesWhatRuns }: EntryText, rule: TextRule): string {
  if (!decidesWhatRuns) return place === 'argument' ? mapArg(name, text, rule) : mapText(name, text, rule);
  if (place === 'argument') return mapKnown(text, rule);
  return place === 'member' || hasReference(text) ? text : mapLogin(name, text, rule.replace);
}

function toFreeName(wish: string, isTaken: (name: string) => boolean): string {
  const shaped = wish
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z_]/, '_$&')
    .slice(0, 90);
  for (let number = 1; ; number++) {
    const name = number === 1 ? shaped : `${shaped}-${number}`;
    if (!isTaken(name)) return name;
  }
}
