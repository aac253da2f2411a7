/** An entry as the lines a person agrees to: everything that decides what runs, and no secret. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { changesWhatRuns } from '../secrets/program-text.ts';
import { HIDDEN, type Hiding, hideForPlan, looksSecret } from '../secrets/secret-values.ts';
import { HIDDEN_MARK, toCommandLine } from './command-line.ts';

/** How an entry is described. */
export interface Describing extends Hiding {
  /** False for one that is written already, and stays as it is. */
  readonly sealed?: boolean;
}

/** What will be started or dialled, and what it is given. */
export function describeEntry(entry: JsonObject, describing: Describing = {}): readonly string[] {
  const shown = toShownEntry(entry, describing);
  const reach = toReach(shown);
  return [
    ...(reach === undefined ? [] : [`${typeof entry['url'] === 'string' ? 'dials' : 'runs'}: ${reach}`]),
    ...(typeof shown['cwd'] === 'string' ? [`in: ${toCommandLine(shown['cwd'], [])}`] : []),
    ...describeMembers('variable', shown['env'], entry['env'], describing),
    ...describeMembers('header', shown['headers'], entry['headers'], describing),
  ];
}

/** All of it in one line: the whole command line, or the address, with what it is given. */
export function toEntryLine(entry: JsonObject, describing: Describing = {}): string {
  const [reach = 'nothing', ...given] = describeEntry(entry, describing);
  return [reach, ...given].join('; ').replace(/^(runs|dials): /, '$1 ');
}

/** Its command line or address; undefined when it has neither. */
export function toReach({ command, args, url }: JsonObject): string | undefined {
  if (typeof url === 'string') return toCommandLine(url, []);
  const list = Array.isArray(args) ? args.map(String) : [];
  return typeof command === 'string' ? toCommandLine(command, list) : undefined;
}

function toShownEntry(entry: JsonObject, hiding: Hiding): JsonObject {
  // The mark itself, in a text of others, would look like something hidden.
  const text = JSON.stringify(entry).replaceAll(HIDDEN_MARK, '\\\\u{f0000}');
  const clean = JSON.parse(text) as JsonObject;
  return hideForPlan(clean, { ...hiding, mark: HIDDEN_MARK });
}

function describeMembers(
  what: string,
  shown: JsonObject[string],
  written: JsonObject[string],
  { known = [], open = [], sealed = true }: Describing,
): readonly string[] {
  if (!isJsonObject(shown) || !isJsonObject(written)) return [];
  const [secret, plain] = [new Set(known), new Set(open)];
  return Object.entries(shown).map(([name, value]) => {
    const line = `${what}: ${toCommandLine(name, [])}=${toCommandLine(String(value), [])}`;
    const text = String(written[name] ?? '');
    const stays = plain.has(text) || (what === 'variable' && changesWhatRuns(name));
    if (!sealed || stays || !(secret.has(text) || looksSecret(name, text))) return line;
    return line.endsWith(HIDDEN)
      ? `${line.slice(0, -HIDDEN.length)}(hidden, kept sealed)`
      : `${line} (kept sealed)`;
  });
}
