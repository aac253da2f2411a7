/** How one client writes a server down, as data, and what that means in our own form. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { MemberEdit, ReadServer, ServerChange } from './client.ts';

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
  /** Adds what this client alone says: variables and headers taken from the environment. */
  readonly more?: (native: JsonObject) => { readonly env?: JsonObject; readonly headers?: JsonObject };
  /** Rewrites its references to variables as ours. */
  readonly toReference?: (text: string) => string;
}

/** References that only a client can fill in. */
const FOREIGN =
  /(?:\$\{(?:input:|command:|workspaceFolder|file|pathSeparator|config:|\{)|\{file:)[^"{}]{0,100}\}{0,2}/;
const SSE_PATH = /\/sse\/?(?:[?#]|$)/;

/** Reads an entry. */
export function readEntry(form: EntryForm, native: JsonObject): ReadServer {
  const enabled = form.off === undefined || native[form.off.member] !== form.off.value;
  const type = native['type'];
  if (typeof type === 'string' && form.ownTypes?.includes(type))
    return { entry: undefined, enabled, problem: 'is a part of the client itself' };
  const transport = toLocal(form, native) ?? toRemote(form, native);
  if (!transport) return { entry: undefined, enabled, problem: 'says neither a program nor an address' };
  const entry = mapTexts(
    { ...transport, ...(!enabled && { enabled: false }) },
    form.toReference,
  ) as JsonObject;
  const foreign = FOREIGN.exec(JSON.stringify(entry));
  if (foreign)
    return { entry: undefined, enabled, problem: `needs ${foreign[0]}, which only its client can fill in` };
  return { entry, enabled };
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

function toLocal(form: EntryForm, native: JsonObject): JsonObject | undefined {
  const said = native[form.command ?? 'command'];
  const words = Array.isArray(said)
    ? said.map(String)
    : typeof said === 'string' && said !== ''
      ? [said]
      : [];
  const [command, ...first] = words;
  if (command === undefined) return undefined;
  const args = [...first, ...toList(native['args'])];
  const env = { ...toTexts(native[form.env ?? 'env']), ...form.more?.(native).env };
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(typeof native['cwd'] === 'string' && { cwd: native['cwd'] }),
  };
}

function toRemote(form: EntryForm, native: JsonObject): JsonObject | undefined {
  const url = (form.url ?? ['url']).map((member) => native[member]).find((said) => typeof said === 'string');
  if (typeof url !== 'string') return undefined;
  const path = form.headers ?? ['headers'];
  const said = path.reduce<JsonValue | undefined>(
    (value, part) => (isJsonObject(value) ? value[part] : undefined),
    native,
  );
  const headers = { ...toTexts(said), ...form.more?.(native).headers };
  const type = native['type'];
  const isSse = type === 'sse' || (!isHttpType(type) && SSE_PATH.test(url));
  return {
    ...(isSse && { type: 'sse' }),
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function isHttpType(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && /^(streamable[-_]?)?http$/i.test(type);
}

function toList(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((item: JsonValue) => String(item)) : [];
}

/** Members as texts: clients take numbers and switches for variables, too. */
function toTexts(value: JsonValue | undefined): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      typeof member === 'object' || member === undefined ? [] : [[name, String(member)]],
    ),
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
