/** Which changes of settings a person has to agree to: what decides what is run, reached or opened, and what is lost. */
import { CONFIG_DEFAULTS } from '../../../config/config.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { describeCopy } from '../../files/describe-copy.ts';
import type { House } from '../../house.ts';
import type { Plan } from '../../operation.ts';
import { describeWidening } from '../../profiles/share-reach.ts';
import { findUnused } from '../../secrets/forget-secrets.ts';
import { secretNamesIn } from '../../secrets/secret-values.ts';
import { describeRemoved, describeServers } from '../../shown/config-servers.ts';
import { at, describeValue, hideDocument, toChangeLines } from '../../shown/documents.ts';
import type { Change } from './change.ts';

/** Of a server: what only says how long, how many and in which profile; whether that is shared is looked at apart. */
const HARMLESS_MEMBERS: ReadonlySet<unknown> = new Set([
  'tags',
  'timeout',
  'startTimeout',
  'toolTimeouts',
  'era',
  'interactive',
  'idleStop',
  'maxInFlight',
  'maxQueue',
  'memoryLimit',
  'maxMessageBytes',
]);

/** What a person is asked about a change; undefined when it needs nobody. */
export async function planChange(
  verb: 'set' | 'unset',
  change: Change,
  house: House,
): Promise<Plan | undefined> {
  const { key, file, text, afterText, before, after, edits } = change;
  const lines = toChangeLines(file, { text, value: before }, { text: afterText, value: after });
  if (lines.length === 0) return undefined;
  const unused = await findUnused(secretNamesIn(before), after, house);
  const apart = [
    ...describeRemoved(before, after),
    ...(unused.length > 0 ? [`forgets for good: ${unused.join(', ')}`] : []),
    ...describeNamespace(before, after),
    ...(await describeWidening(edits, house)),
  ];
  if (apart.length === 0 && !needsPerson(key.path, at(after, key.path))) return undefined;
  const copy = text === undefined ? [] : [describeCopy(house)];
  return {
    summary: `${verb} ${key.text}`,
    details: [
      ...apart,
      ...describeServers(before, after),
      ...(key.path[0] === 'mcpServers' ? [] : describeValue(key.text, at(hideDocument(after), key.path))),
      ...copy,
    ],
    diffs: lines,
  };
}

/** True when setting this, or taking it away, may start or end a program, reach another place, open or shut a door. */
function needsPerson(path: readonly (string | number)[], value: JsonValue | undefined): boolean {
  const [section, , member] = path;
  if (section === 'http' || section === 'manage') return true;
  if (section !== 'mcpServers' && section !== 'builtin') return false;
  return !isSwitchedOff(path, value) && !HARMLESS_MEMBERS.has(member);
}

function isSwitchedOff(path: readonly (string | number)[], value: JsonValue | undefined): boolean {
  const last = path.at(-1);
  if (path.length === 3)
    return (last === 'enabled' && value === false) || (last === 'disabled' && value === true);
  return path[0] === 'builtin' && path.length === 2 && value === false;
}

/** Clients and people know the gateway's own tools by this name. */
function describeNamespace(before: JsonObject, after: JsonObject): readonly string[] {
  const [old, next] = [before, after].map(({ namespace = CONFIG_DEFAULTS.namespace }) => namespace);
  if (old === next) return [];
  return [`renames the gateway's own tools for every client: ${old}_… becomes ${next}_…`];
}
