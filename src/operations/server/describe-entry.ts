/** An entry as the lines a person agrees to; holds no secret. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { HIDDEN, hideSecrets, looksSecret } from '../secret-values.ts';
import { toCommandLine } from './command-line.ts';

/** What will be started or dialled, and what it is given. */
export function describeEntry(entry: JsonObject, secretValues: readonly string[] = []): readonly string[] {
  const shown = hideSecrets(entry, secretValues);
  const { command, args, url, cwd } = shown;
  const list = Array.isArray(args) ? args.map(String) : [];
  const lines = [
    typeof command === 'string' && `runs: ${toCommandLine(command, list)}`,
    typeof url === 'string' && `dials: ${toCommandLine(url, [])}`,
    typeof cwd === 'string' && `in: ${toCommandLine(cwd, [])}`,
    ...describeMembers('variable', entry['env'], shown['env'], secretValues),
    ...describeMembers('header', entry['headers'], shown['headers'], secretValues),
  ];
  return lines.filter((line) => typeof line === 'string');
}

function describeMembers(
  what: string,
  members: JsonObject[string],
  shown: JsonObject[string],
  secretValues: readonly string[],
): readonly string[] {
  if (!isJsonObject(members) || !isJsonObject(shown)) return [];
  return Object.entries(members).map(([name, value]) => {
    const text = String(value);
    const isSealed = looksSecret(name, text) || secretValues.includes(text);
    const note = isSealed ? ' (kept sealed)' : '';
    return `${what}: ${toCommandLine(name, [])}=${toCommandLine(String(shown[name] ?? HIDDEN), [])}${note}`;
  });
}
