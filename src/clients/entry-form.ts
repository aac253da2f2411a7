/** How one client writes a server down, as data, and what that means in our own form. */
import { MAX_TIMEOUT_MS } from '../config/config.ts';
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../model/json.ts';
import type { MemberEdit, ReadServer, ServerChange } from './client.ts';
import { findLost, findWhole } from './left-out.ts';

/** What a client calls the parts of an entry; what is left out is called as most clients do. */
export interface EntryForm {
  /** The member with the program, by default `command`. */
  readonly command?: string;
  /** True where that member is a list of the program and its arguments. */
  readonly commandIsList?: true;
  /** The member with variables, by default `env`. */
  readonly env?: string;
  /** What stands in `type` for a program. */
  readonly localType?: string;
  /** Members that may hold the address; the first that is there counts, and the first of all is written. */
  readonly url?: readonly string[];
  /** The member with the address of a server that speaks SSE, where it is another one. */
  readonly sseUrl?: string;
  /** What stands in `type` for Streamable HTTP and for SSE. */
  readonly remoteTypes?: { readonly http: string; readonly sse: string };
  /** Where headers stand, by default `headers`. */
  readonly headers?: readonly string[];
  /** The member that switches a server off, and its value then. */
  readonly off?: { readonly member: string; readonly value: boolean };
  /** Values of `type` that are parts of the client and no servers. */
  readonly ownTypes?: readonly string[];
  /** What else each entry has to say. */
  readonly extra?: (name: string) => JsonObject;
  /** Where it says how long a call may take, and how long a start. */
  readonly timeout?: TimeMember;
  readonly startTimeout?: TimeMember;
  /** The member with the tools that are switched off. */
  readonly disabledTools?: string;
  /** What this client alone says: variables and headers taken from the environment. */
  readonly more?: MoreMembers;
  /** Rewrites its references to variables as ours. */
  readonly toReference?: (text: string) => string;
}

/** A member with a time, and how many milliseconds one of it is. */
interface TimeMember {
  readonly member: string;
  readonly ms: 1 | 1_000;
}

/** Members with a meaning of their own: what they give a program, and what an address. */
interface MoreMembers {
  readonly env?: Readonly<Record<string, ReadMember>>;
  readonly headers?: Readonly<Record<string, ReadMember>>;
}

/** The variables or headers that come of a member; none where it is not of the kind it should be. */
type ReadMember = (said: JsonValue | undefined) => Readonly<Record<string, string>>;

/** References that only a client can fill in. */
const FOREIGN =
  /(?:\$\{(?:input:|command:|workspaceFolder|file|pathSeparator|config:|\{)|\{file:)[^"{}]{0,100}\}{0,2}/;
const SSE_PATH = /\/sse\/?(?:[?#]|$)/;

/** Reads an entry. */
export function readEntry(form: EntryForm, native: JsonObject): ReadServer {
  const enabled = form.off === undefined || native[form.off.member] !== form.off.value;
  const type = typeOf(native);
  if (typeof type === 'string' && form.ownTypes?.includes(type))
    return { entry: undefined, enabled, problem: 'is a part of the client itself' };
  const transport = toLocal(form, native) ?? toRemote(form, native);
  if (!transport) return { entry: undefined, enabled, problem: 'says neither a program nor an address' };
  const settings = { ...toSettings(form, native), ...(!enabled && { enabled: false }) };
  const entry = mapTexts({ ...transport, ...settings }, form.toReference) as JsonObject;
  const foreign = FOREIGN.exec(JSON.stringify(entry));
  if (foreign)
    return { entry: undefined, enabled, problem: `needs ${foreign[0]}, which only its client can fill in` };
  const leftOut = findLeftOut(form, native, entry);
  return { entry, enabled, ...(leftOut.length > 0 && { leftOut }) };
}

/** Writes an entry of ours. */
export function writeEntry(form: EntryForm, name: string, entry: JsonObject): JsonObject {
  const extra = form.extra?.(name) ?? {};
  const off = form.off && entry['enabled'] === false ? { [form.off.member]: form.off.value } : {};
  if (typeof entry['url'] === 'string') {
    const isSse = entry['type'] === 'sse';
    const type = form.remoteTypes?.[isSse ? 'sse' : 'http'];
    const member = (isSse ? form.sseUrl : undefined) ?? form.url?.[0] ?? 'url';
    return {
      ...extra,
      ...(type !== undefined && { type }),
      [member]: entry['url'],
      ...(isJsonObject(entry['headers']) && under(form.headers ?? ['headers'], entry['headers'])),
      ...off,
    };
  }
  const command = String(entry['command'] ?? '');
  const args = toList(entry['args']);
  return {
    ...extra,
    ...(form.localType !== undefined && { type: form.localType }),
    ...(form.commandIsList
      ? { [form.command ?? 'command']: [command, ...args] }
      : { [form.command ?? 'command']: command, args }),
    ...(isJsonObject(entry['env']) && { [form.env ?? 'env']: entry['env'] }),
    ...off,
  };
}

/** What to change in an entry; undefined when this client cannot switch servers off. */
export function toMemberEdits(
  form: EntryForm,
  native: JsonObject,
  { enabled, url, env, headers }: ServerChange,
): readonly MemberEdit[] | undefined {
  if (enabled !== undefined && !form.off) return undefined;
  const urlMember = form.url?.find((member) => Object.hasOwn(native, member)) ?? form.url?.[0] ?? 'url';
  return [
    ...(enabled === undefined || !form.off
      ? []
      : [{ path: [form.off.member], value: enabled ? !form.off.value : form.off.value }]),
    ...(url === undefined ? [] : [{ path: [urlMember], value: url }]),
    ...toMembers([form.env ?? 'env'], env),
    ...toMembers(form.headers ?? ['headers'], headers),
  ];
}

function toMembers(at: readonly string[], values: Readonly<Record<string, string>> = {}): MemberEdit[] {
  return Object.entries(values).map(([name, value]) => ({ path: [...at, name], value: value || undefined }));
}

/** The variables that a list names, each taken from the environment. */
export function toPassedOn(names: JsonValue | undefined): Readonly<Record<string, string>> {
  const given = toList(names).filter((name) => name !== '');
  return Object.fromEntries(given.map((name) => [name, `\${env:${name}}`]));
}

function toLocal(form: EntryForm, native: JsonObject): JsonObject | undefined {
  const said = native[form.command ?? 'command'];
  const words: readonly JsonValue[] = Array.isArray(said) ? said : typeof said === 'string' ? [said] : [];
  const [command, ...first] = words.every(isText) ? words.map(String) : [];
  if (command === undefined || command === '') return undefined;
  const args = [...first, ...toList(native['args'])];
  const env = { ...toTexts(native[form.env ?? 'env']), ...readMore(form.more?.env, native) };
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(typeof native['cwd'] === 'string' && { cwd: native['cwd'] }),
  };
}

function toRemote(form: EntryForm, native: JsonObject): JsonObject | undefined {
  const url = memberOf(native, findUrlMember(form, native));
  if (typeof url !== 'string') return undefined;
  const said = valueAt(native, form.headers ?? ['headers']);
  const headers = { ...toTexts(said), ...readMore(form.more?.headers, native) };
  const type = typeOf(native);
  const isSse = type === 'sse' || (!isHttpType(type) && SSE_PATH.test(url));
  return {
    ...(isSse && { type: 'sse' }),
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** What has nothing to do with how it is reached and is said here as well. */
function toSettings(form: EntryForm, native: JsonObject): JsonObject {
  const times = { timeout: toTime(form.timeout, native), startTimeout: toTime(form.startTimeout, native) };
  const off = toList(memberOf(native, form.disabledTools)).filter((tool) => tool !== '');
  return {
    ...(times.timeout !== undefined && { timeout: times.timeout }),
    ...(times.startTimeout !== undefined && { startTimeout: times.startTimeout }),
    ...(off.length > 0 && { disabledTools: off }),
  };
}

/** Less than a second is no time that clients take seriously. */
const LEAST_MS = 1_000;

function toTime(time: TimeMember | undefined, native: JsonObject): number | undefined {
  const said = time && native[time.member];
  if (!time || typeof said !== 'number') return undefined;
  const ms = Math.round(said * time.ms);
  return ms >= LEAST_MS && ms <= MAX_TIMEOUT_MS ? ms : undefined;
}

/** What an entry says and ours does not; a member is used only if something came of it. */
function findLeftOut(form: EntryForm, native: JsonObject, entry: JsonObject): readonly string[] {
  const isLocal = entry['command'] !== undefined;
  const { off, timeout, startTimeout, disabledTools } = form;
  const texts = isLocal ? [form.env ?? 'env'] : (form.headers ?? ['headers']);
  const more = Object.entries((isLocal ? form.more?.env : form.more?.headers) ?? {})
    .filter(([member, read]) => Object.keys(read(native[member])).length > 0)
    .map(([member]) => member);
  const lists = [
    ...(isLocal && Array.isArray(native['args']) ? ['args'] : []),
    ...more,
    ...(disabledTools !== undefined && entry['disabledTools'] !== undefined ? [disabledTools] : []),
  ];
  const used = new Set([
    ...TYPES,
    ...(isLocal ? [form.command ?? 'command'] : [findUrlMember(form, native)]),
    ...Object.keys(form.extra?.('') ?? {}).filter(
      (member) => ![timeout?.member, off?.member].includes(member),
    ),
    ...lists,
    ...(isJsonObject(native[texts[0] ?? '']) ? texts.slice(0, 1) : []),
    entry['cwd'] === undefined ? undefined : 'cwd',
    typeof memberOf(native, off?.member) === 'boolean' ? off?.member : undefined,
    entry['timeout'] === undefined ? undefined : timeout?.member,
    entry['startTimeout'] === undefined ? undefined : startTimeout?.member,
  ]);
  return [
    ...findWhole(native, used),
    ...findLost(native, texts),
    ...lists.flatMap((member) => findLost(native, [member])),
  ];
}

const TYPES: readonly string[] = ['type', 'transportType'];

function typeOf(native: JsonObject): JsonValue | undefined {
  return TYPES.map((member) => native[member]).find((said) => said !== undefined);
}

function findUrlMember(form: EntryForm, native: JsonObject): string | undefined {
  return (form.url ?? ['url']).find((member) => typeof native[member] === 'string');
}

/** What a form has no member for is not there. */
function memberOf(native: JsonObject, member: string | undefined): JsonValue | undefined {
  return member === undefined ? undefined : native[member];
}

function readMore(readers: MoreMembers['env'] = {}, native: JsonObject): Record<string, string> {
  return Object.assign({}, ...Object.entries(readers).map(([member, read]) => read(native[member])));
}

function isHttpType(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && /^(streamable[-_]?)?http$/i.test(type);
}

/** Clients take numbers and switches for texts, too. */
function isText(value: JsonValue | undefined): boolean {
  return value !== undefined && typeof value !== 'object';
}

function toList(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter(isText).map(String) : [];
}

function toTexts(value: JsonValue | undefined): Record<string, string> {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    members.flatMap(([name, member]) => (isText(member) ? [[name, String(member)]] : [])),
  );
}

function under(path: readonly string[], value: JsonValue): JsonObject {
  return path.reduceRight<JsonValue>((inner, part) => ({ [part]: inner }), value) as JsonObject;
}

function mapTexts(
  value: JsonValue | undefined,
  map: ((text: string) => string) | undefined,
): JsonValue | undefined {
  if (!map) return value;
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, map) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, map)]));
}
