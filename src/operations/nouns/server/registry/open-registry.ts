/** The registry of servers as operations ask it: a mirror where one is named, else over HTTP, with a memory of its own. */
import { join, resolve } from 'node:path';
import { GatewayError } from '../../../../errors/gateway-error.ts';
import { isJsonObject, type JsonValue } from '../../../../model/json.ts';
import type { House } from '../../../house.ts';
import { type AnswerCache, createAnswerCache } from './answer-cache.ts';
import { createRegistryApi, type RegistryApi } from './http-registry.ts';
import { findVersion, onlyLatest, readMirror } from './mirror.ts';
import { createPatience, type Patiently } from './patience.ts';
import { toWords } from './rank.ts';
import { parseServer, type RegistryServer } from './server-json.ts';

/** What a registry said. */
export interface Told<T> {
  readonly value: T;
  /** Where it comes from when not from the registry itself, such as how old it is. */
  readonly note: string | undefined;
}

/** A registry of servers; throws REGISTRY_UNAVAILABLE when nothing at all can be had. */
export interface Registry {
  /** Servers that may fit some words, in no order, each in its latest version. */
  candidates(query: string): Promise<Told<readonly RegistryServer[]>>;
  /** One server by its full name. */
  get(name: string, version: string): Promise<Told<RegistryServer | undefined>>;
}

/** Where servers are looked up unless THIMBLE_REGISTRY_URL says otherwise. */
export const REGISTRY_URL = 'https://registry.modelcontextprotocol.io';

const FRESH_MS = 3_600_000;
const MAX_PAGES = 3;
const MAX_TERMS = 5;
const MAX_TERM_LENGTH = 100;

/** Opens the registry this house uses. */
export function openRegistry(
  house: House,
  { patienceMs, ...options }: { readonly timeoutMs?: number; readonly patienceMs?: number } = {},
): Registry {
  const mirror = house.env['THIMBLE_REGISTRY_MIRROR'];
  if (mirror) return createMirror(resolve(house.cwd, mirror));
  const base = house.env['THIMBLE_REGISTRY_URL'] || REGISTRY_URL;
  const { fetch, signal, now } = house;
  const api = createRegistryApi({ base, fetch, signal, ...options });
  const cache = createAnswerCache(join(house.home, 'cache', 'registry'), base, now);
  const patiently = createPatience(() => house.tell(`asking the registry at ${toHost(base)}`), patienceMs);
  return createCached(toPatient(api, patiently), cache);
}

function toPatient(api: RegistryApi, patiently: Patiently): RegistryApi {
  return {
    list: (search, cursor) => patiently(() => api.list(search, cursor)),
    get: (name, version) => patiently(() => api.get(name, version)),
  };
}

/** An address may hold a password, so only the host is told. */
function toHost(base: string): string {
  return URL.canParse(base) ? new URL(base).host : 'its address';
}

function createMirror(path: string): Registry {
  const note = `from the mirror ${path}`;
  return {
    candidates: async () => ({ value: onlyLatest(await readMirror(path)), note }),
    get: async (name, version) => ({ value: findVersion(await readMirror(path), name, version), note }),
  };
}

function createCached(api: RegistryApi, cache: AnswerCache): Registry {
  async function ask(
    question: string,
    fresh: () => Promise<JsonValue | undefined>,
  ): Promise<Told<JsonValue | undefined>> {
    const kept = await cache.load(question);
    if (kept && kept.ageMs < FRESH_MS) return { value: kept.value, note: undefined };
    try {
      const value = await fresh();
      if (value !== undefined) await cache.save(question, value);
      return { value, note: undefined };
    } catch (error) {
      if (!kept || !isUnavailable(error)) throw error;
      return { value: kept.value, note: toAgeNote(kept.ageMs) };
    }
  }

  async function search(term: string): Promise<Told<readonly RegistryServer[]>> {
    const servers: RegistryServer[] = [];
    let cursor: string | undefined;
    let note: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const at = cursor;
      const told = await ask(`list ${JSON.stringify([term, at ?? ''])}`, () => api.list(term, at));
      servers.push(...toServers(told.value));
      note ??= told.note;
      cursor = toNextCursor(told.value);
      if (cursor === undefined || cursor === at) break;
    }
    return { value: servers, note };
  }

  async function searchAll(terms: readonly string[]): Promise<Told<readonly RegistryServer[]>> {
    const told = await Promise.all(terms.map(search));
    return { value: told.flatMap(({ value }) => value), note: told.find(({ note }) => note)?.note };
  }

  /** Everything that was ever answered: it knows descriptions, which the registry does not search. */
  async function remembered(): Promise<Told<readonly RegistryServer[]>> {
    const all = await cache.all();
    return { value: all.flatMap(({ value }) => toServers(value)), note: all[0] && toAgeNote(all[0].ageMs) };
  }

  return {
    async candidates(query) {
      const known = await remembered();
      try {
        const told = await searchAll(toTerms(query));
        const near =
          told.value.length === 0 ? await searchAll(toPieces(query)) : { value: [], note: undefined };
        const value = onlyLatest([...told.value, ...near.value, ...known.value]);
        return { value, note: told.note ?? near.note };
      } catch (error) {
        if (known.value.length === 0 || !isUnavailable(error)) throw error;
        return { value: onlyLatest(known.value), note: known.note };
      }
    },
    async get(name, version) {
      const told = await ask(`get ${JSON.stringify([name, version])}`, () => api.get(name, version));
      return { value: parseServer(told.value), note: told.note };
    },
  };
}

/** What is asked for: the registry looks for a text inside names, so whole questions are taken apart. */
function toTerms(query: string): readonly string[] {
  const whole = query.trim().toLowerCase().replace(/\s+/g, '-');
  const last = whole.slice(whole.lastIndexOf('/') + 1);
  const terms = [whole, last, ...toWords(query)].map((term) => term.slice(0, MAX_TERM_LENGTH));
  return [...new Set(terms)].filter((term) => term !== '').slice(0, MAX_TERMS);
}

/** The beginnings and ends of words: a slip of the finger leaves one of them as it should be. */
function toPieces(query: string): readonly string[] {
  const pieces = toWords(query).flatMap((word) =>
    word.length > 3 ? [word.slice(0, 3), word.slice(-3)] : [],
  );
  return [...new Set(pieces)].slice(0, MAX_TERMS);
}

function toServers(value: JsonValue | undefined): readonly RegistryServer[] {
  if (!isJsonObject(value)) return [];
  const { servers } = value;
  if (Array.isArray(servers)) return servers.flatMap((item: unknown) => parseServer(item) ?? []);
  return [parseServer(value) ?? []].flat();
}

function toNextCursor(value: JsonValue | undefined): string | undefined {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined;
  const cursor = isJsonObject(metadata) ? (metadata['nextCursor'] ?? metadata['next_cursor']) : undefined;
  return typeof cursor === 'string' && cursor !== '' && cursor.length < 1_000 ? cursor : undefined;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'REGISTRY_UNAVAILABLE';
}

function toAgeNote(ageMs: number): string {
  const minutes = Math.round(ageMs / 60_000);
  const age =
    minutes < 120
      ? `${minutes} min`
      : minutes < 2_880
        ? `${Math.round(minutes / 60)} h`
        : `${Math.round(minutes / 1_440)} days`;
  return `the registry cannot be asked now; this is what it said ${age} ago`;
}
