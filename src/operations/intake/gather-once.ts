/** Servers of several clients: each once, whatever they call it, and what one client left out is taken from another. */
import * as z from 'zod';
import type { ClientServer, ClientStatus } from '../../clients/clients.ts';
import { startsThimble } from '../../config/own-program.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { createEntryResolver } from '../servers/resolve-entries.ts';
import { complete, findAdded, hasAllOf, isSameServer } from '../servers/same-server.ts';
import { findFault } from './find-fault.ts';

/** What becomes of one server of a client. */
export const GATHERED = z.object({
  client: z.string(),
  /** What the client calls it. */
  server: z.string(),
  result: z.enum(['new', 'known', 'skipped']),
  /** What it is called in the configuration. */
  as: z.string().optional(),
  /** Why it was skipped. */
  reason: z.string().optional(),
  /** Variables, headers and times of it that the entry of another client is given. */
  adds: z.array(z.string()).optional(),
  /** What its entry says and the configuration does not; names only. */
  leftOut: z.array(z.string()).optional(),
});

/** What becomes of one server of a client. */
export type Gathered = z.infer<typeof GATHERED>;

/** What becomes of all. */
export interface Gathering {
  readonly gathered: readonly Gathered[];
  /** The entries to write, by their new names, with secrets as they are. */
  readonly entries: ReadonlyMap<string, JsonObject>;
}

/** An entry under its name, with its references resolved where that is possible. */
interface Known {
  readonly name: string;
  readonly entry: JsonObject;
  readonly resolved: JsonObject;
}

/** All that is there already when one more server comes. */
interface Shelf {
  /** What is configured. */
  readonly present: readonly Known[];
  /** What came before it. */
  readonly added: readonly Known[];
}

/** One more server: what becomes of it, and all that came so far. */
interface Step {
  readonly one: Omit<Gathered, 'client' | 'server'>;
  readonly added: readonly Known[];
}

type Resolve = Awaited<ReturnType<typeof createEntryResolver>>;

/** Works out what becomes of each; writes nothing. */
export async function gatherOnce(
  clients: readonly ClientStatus[],
  document: JsonObject,
  house: Parameters<typeof createEntryResolver>[1],
): Promise<Gathering> {
  const resolve = await createEntryResolver(document, house);
  const present = toKnown(document, resolve);
  let added: readonly Known[] = [];
  const gathered: Gathered[] = [];
  for (const { key: client, servers } of clients)
    for (const server of servers) {
      const step = takeOne(client, server, { present, added }, resolve);
      gathered.push({ client, server: server.name, ...step.one });
      added = step.added;
    }
  return { gathered, entries: new Map(added.map(({ name, entry }) => [name, entry])) };
}

function toKnown({ mcpServers }: JsonObject, resolve: Resolve): readonly Known[] {
  return Object.entries(isJsonObject(mcpServers) ? mcpServers : {}).flatMap(([name, entry]) =>
    isJsonObject(entry) ? [{ name, entry, resolved: resolve(entry) }] : [],
  );
}

function takeOne(
  client: string,
  { name, entry, problem, leftOut = [] }: ClientServer,
  shelf: Shelf,
  resolve: Resolve,
): Step {
  const { added } = shelf;
  const reason = findReason(name, entry, problem);
  if (!entry || reason !== undefined) return { one: { result: 'skipped', reason }, added };
  const resolved = resolve(entry);
  const known = findKnown(resolved, shelf);
  const step = known
    ? enrich(added, known, { entry, resolved })
    : addOne({ name: toFreeName(name, client, shelf), entry, resolved }, shelf);
  if (step.one.result === 'skipped') return step;
  const lost = [...leftOut, ...(step.one.leftOut ?? [])];
  return { ...step, one: { ...step.one, ...(lost.length > 0 && { leftOut: lost }) } };
}

/** Why a server of a client is left where it is; undefined when it can be used. */
function findReason(
  name: string,
  entry: JsonObject | undefined,
  problem: string | undefined,
): string | undefined {
  if (/\p{C}/u.test(name))
    return 'has a name with characters that cannot be seen; give it another name there';
  if (!entry) return problem ?? 'cannot be used outside its client';
  return startsThimble(entry) ? 'is Thimble itself' : undefined;
}

/** What is configured stays as it is, so it has to have all that this one says; what is added may be given more. */
function findKnown(resolved: JsonObject, { present, added }: Shelf): Known | undefined {
  return (
    present.find((other) => hasAllOf(other.resolved, resolved) && hasToolsOffOf(other.resolved, resolved)) ??
    added.find(
      ({ resolved: other }) =>
        isSameServer(other, resolved) && hasToolsOffOf(other, resolved) && hasToolsOffOf(resolved, other),
    )
  );
}

/** True when every tool that is off in the other is off in the one: nobody is given what somebody switched off. */
function hasToolsOffOf(one: JsonObject, other: JsonObject): boolean {
  const off = new Set(toToolsOff(one));
  return toToolsOff(other).every((tool) => off.has(tool));
}

function toToolsOff({ disabledTools }: JsonObject): readonly string[] {
  return Array.isArray(disabledTools) ? disabledTools.map(String) : [];
}

/** What one client left out, another may have: the entry to be written gets both. */
function enrich(added: readonly Known[], known: Known, { entry, resolved }: Omit<Known, 'name'>): Step {
  const { name } = known;
  const isAdded = added.includes(known);
  const times = TIMES.filter((key) => entry[key] !== undefined && entry[key] !== known.entry[key]);
  const given = times.filter((key) => isAdded && known.entry[key] === undefined);
  const leftOut = times.filter((key) => !given.includes(key));
  const adds = [...findAdded(known.resolved, resolved), ...given];
  const more = Object.fromEntries(given.map((key) => [key, entry[key]]));
  const whole = {
    name,
    entry: { ...complete(known.entry, entry), ...more },
    resolved: { ...complete(known.resolved, resolved), ...more },
  };
  return {
    one: {
      result: 'known',
      as: name,
      ...(adds.length > 0 && { adds }),
      ...(leftOut.length > 0 && { leftOut }),
    },
    added: added.map((one) => (one === known ? whole : one)),
  };
}

const TIMES = ['timeout', 'startTimeout'] as const;

function addOne(one: Known, { added }: Shelf): Step {
  const fault = findFault(one);
  if (fault === undefined) return { one: { result: 'new', as: one.name }, added: [...added, one] };
  return { one: { result: 'skipped', reason: `does not fit the configuration: ${fault}` }, added };
}

function toFreeName(name: string, client: string, { present, added }: Shelf): string {
  const taken = new Set([...present, ...added].map((one) => one.name));
  for (let number = 0; ; number++) {
    const tried = number === 0 ? name : number === 1 ? `${name}-${client}` : `${name}-${client}-${number}`;
    if (!taken.has(tried)) return tried;
  }
}
