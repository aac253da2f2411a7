/** Which settings decide what is run, reached or opened, so that a person has to agree to them. */
import type { JsonValue } from '../../model/json.ts';

/** Of a server: what only says how long, how many and in which profile. */
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

/** True when setting this, or taking it away, may start a program, reach another place or open a door. */
export function needsPerson(path: readonly (string | number)[], value: JsonValue | undefined): boolean {
  const [section, owner, member] = path;
  if (section === 'http') return owner !== 'port' && value !== undefined;
  if (section !== 'mcpServers' && section !== 'builtin') return false;
  if (isSwitchedOff(path, value)) return false;
  // A server that is taken away runs nothing any more; a built-in one may come back on.
  if (value === undefined && member === undefined) return section === 'builtin';
  return !HARMLESS_MEMBERS.has(member);
}

function isSwitchedOff(path: readonly (string | number)[], value: JsonValue | undefined): boolean {
  const last = path.at(-1);
  if (path.length === 3)
    return (last === 'enabled' && value === false) || (last === 'disabled' && value === true);
  return path[0] === 'builtin' && value === false;
}
