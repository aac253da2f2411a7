/** A registry over HTTP: bounded in time, size and pages, and every bad answer is one typed error. */
import { GatewayError } from '../../../../errors/gateway-error.ts';
import type { CancelSignal } from '../../../../lib/cancel.ts';
import { isJsonObject, type JsonValue } from '../../../../model/json.ts';
import { parseServer } from './server-json.ts';

/** Fetches documents of a registry. */
export interface RegistryApi {
  /** One page of the list; undefined when there is none. */
  list(search: string, cursor: string | undefined): Promise<JsonValue | undefined>;
  /** One version of one server; undefined when the registry has none. */
  get(name: string, version: string): Promise<JsonValue | undefined>;
}

/** How a registry is reached. */
export interface RegistryApiOptions {
  readonly base: string;
  readonly fetch: typeof fetch;
  readonly signal: CancelSignal;
  /** How long one answer may take. */
  readonly timeoutMs?: number;
}

/** The stable form of the API first, then the one before it. */
const PREFIXES: readonly string[] = ['v0.1', 'v0'];
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** How many servers one page holds. */
const PAGE_SIZE = 100;
/** What may pass by itself: worth asking once more. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 500, 502, 503, 504]);

/** Creates the client of one registry; throws INVALID_PARAMS when its address cannot be one. */
export function createRegistryApi(options: RegistryApiOptions): RegistryApi {
  const base = parseBase(options.base);

  async function ask(path: string, isAnswer: (value: JsonValue) => boolean): Promise<JsonValue | undefined> {
    for (const prefix of PREFIXES) {
      const answer = await askTwice(`${base}/${prefix}/${path}`, options);
      if (answer !== undefined && !isAnswer(answer)) unavailable(base, 'sent something else than servers');
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  return {
    list(search, cursor) {
      const query = new URLSearchParams({ version: 'latest', limit: String(PAGE_SIZE) });
      if (search !== '') query.set('search', search);
      if (cursor !== undefined) query.set('cursor', cursor);
      return ask(`servers?${query}`, isList);
    },
    get: (name, version) =>
      ask(`servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`, isServer),
  };
}

function isList(value: JsonValue): boolean {
  // An empty list is written as null by some.
  return isJsonObject(value) && (Array.isArray(value['servers']) || value['servers'] === null);
}

function isServer(value: JsonValue): boolean {
  return parseServer(value) !== undefined;
}

function parseBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href.replace(/\/+$/, '');
  throw new GatewayError(
    'INVALID_PARAMS',
    'THIMBLE_REGISTRY_URL is no address of a registry; give one that begins with https://',
  );
}

/** Undefined when there is nothing at that address. */
async function askTwice(url: string, options: RegistryApiOptions): Promise<JsonValue | undefined> {
  const first = await askOnce(url, options);
  if (first.is === 'passing') {
    const second = await askOnce(url, options);
    return second.is === 'passing' ? unavailable(url, second.problem) : toValue(second, url);
  }
  return toValue(first, url);
}

type Answer =
  | { readonly is: 'document'; readonly value: JsonValue }
  | { readonly is: 'missing' }
  | { readonly is: 'passing' | 'bad'; readonly problem: string };

function toValue(answer: Answer, url: string): JsonValue | undefined {
  if (answer.is === 'document') return answer.value;
  return answer.is === 'missing' ? undefined : unavailable(url, answer.problem);
}

function unavailable(url: string, problem: string): never {
  throw new GatewayError(
    'REGISTRY_UNAVAILABLE',
    `the registry at ${new URL(url).origin} ${problem}; try again later, name a mirror with THIMBLE_REGISTRY_MIRROR, or install with --from (such as --from npm:<package>)`,
  );
}

async function askOnce(
  url: string,
  { fetch, signal, timeoutMs = TIMEOUT_MS }: RegistryApiOptions,
): Promise<Answer> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const leave = () => stop.abort();
  signal.addEventListener('abort', leave, { once: true });
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { accept: 'application/json' };
    const response = await fetch(url, { headers, signal: AbortSignal.any([stop.signal, limit]) });
    return await read(response);
  } catch {
    signal.throwIfAborted();
    if (limit.aborted) return { is: 'bad', problem: `did not answer within ${timeoutMs / 1000} s` };
    return { is: 'passing', problem: 'cannot be reached' };
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

async function read(response: Response): Promise<Answer> {
  const { status } = response;
  if (status !== 200) {
    await response.body?.cancel();
    if (status === 404) return { is: 'missing' };
    if (status === 429) return { is: 'bad', problem: 'was asked too often (429)' };
    return { is: PASSING.has(status) ? 'passing' : 'bad', problem: `answered with status ${status}` };
  }
  const text = await readBounded(response);
  if (text === undefined) return { is: 'bad', problem: `sent more than ${MAX_BYTES / 1024 / 1024} MB` };
  const value = parseJson(text);
  return isJsonObject(value)
    ? { is: 'document', value }
    : { is: 'bad', problem: 'sent something that is no JSON document' };
}

async function readBounded({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Breaking off cancels the rest.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
