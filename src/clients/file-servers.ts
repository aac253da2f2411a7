/** The servers in a client's file: read, and changed so that nothing else in the file means anything else. */
import { GatewayError } from '../errors/gateway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue, toCanonicalJson, valueAt } from '../model/json.ts';
import type { ServerShelf } from './client.ts';
import type { Format } from './format/format.ts';

/** A server as its client wrote it. */
export interface NativeServer {
  readonly name: string;
  readonly value: JsonObject;
}

/** One change: a server, or a member of one, is put there; no value takes it out. */
export interface ServerEdit {
  readonly name: string;
  /** Members below the server; none means the server itself. */
  readonly path?: readonly string[];
  readonly value: JsonValue | undefined;
}

/** A client's file, as far as its format and the place of its servers go. */
export interface ServerFile {
  readonly path: string;
  readonly format: Format;
  readonly shelf: ServerShelf;
}

/** The whole document; throws FILE_REFUSED when it cannot be read or holds something else where servers should be. */
export function readDocument(file: ServerFile, text: string): JsonObject {
  const { path, format, shelf } = file;
  const parsed = format.parse(text);
  if (!parsed.ok) {
    throw new GatewayError(
      'FILE_REFUSED',
      `${path} is not valid ${format.name} (line ${parsed.line}: ${parsed.problem}); it was left as it is: correct that line and try again`,
      { data: { file: path, line: parsed.line } },
    );
  }
  if (!isJsonObject(parsed.value)) throw unexpected(file, 'an object at the top');
  const held = valueAt(parsed.value, shelf.path);
  const fits =
    held === undefined || held === null || (shelf.kind === 'list' ? Array.isArray(held) : isJsonObject(held));
  if (!fits)
    throw unexpected(file, `${shelf.kind === 'list' ? 'a list' : 'members'} at ${shelf.path.join('.')}`);
  return parsed.value;
}

/** The servers of a text, in its order. */
export function readServers(file: ServerFile, text: string | undefined): readonly NativeServer[] {
  return text === undefined ? [] : toServers(file.shelf, readDocument(file, text));
}

/** True when a text has a place for servers, be it empty. */
export function hasShelf(file: ServerFile, text: string | undefined): boolean {
  return text !== undefined && valueAt(readDocument(file, text), file.shelf.path) !== undefined;
}

/** True when a text says nothing at all. */
export function isEmptyDocument(file: ServerFile, text: string): boolean {
  return Object.keys(readDocument(file, text)).length === 0;
}

/** Makes changes; throws FILE_REFUSED rather than let the text mean anything but those changes. */
export function editServers(file: ServerFile, text: string, edits: readonly ServerEdit[]): string {
  const { format, shelf } = file;
  const parts = toParts(shelf, readDocument(file, text));
  let members = parts.members;
  const focus = format.focus?.(text, shelf.path);
  let part = focus?.text ?? text;
  for (const edit of edits) {
    if (edit.value === undefined && valueAt(members, toMember(edit)) === undefined) continue;
    part = editServer(file, part, edit);
    members = putAt(
      members,
      toMember(edit),
      edit.value === undefined ? undefined : withName(shelf, edit, edit.value),
    );
  }
  const after = focus?.widen(part) ?? part;
  // Looked at once, at the end: some of these files are megabytes long.
  const parsed = format.parse(after);
  if (parsed.ok && toMeaning(shelf, parsed.value) === toText({ ...parts, members })) return after;
  throw unchangeable(file, text, edits);
}

function unchangeable(
  { path, format }: ServerFile,
  text: string,
  edits: readonly ServerEdit[],
): GatewayError {
  const names = [...new Set(edits.map(({ name }) => JSON.stringify(name)))].join(', ');
  const { says, wayOut } = format.findTrap?.(text) ?? {
    says: 'is written in a way of its own',
    wayOut: 'write the servers one below the other',
  };
  return new GatewayError(
    'FILE_REFUSED',
    `${path} ${says}, so Thimble cannot change it safely and left it as it is; ${wayOut} and try again, or change ${names} there by hand`,
    { data: { file: path } },
  );
}

/** Takes away an empty place for servers. */
export function dropShelf(file: ServerFile, text: string): string {
  const held = valueAt(readDocument(file, text), file.shelf.path);
  if (held === undefined || (isJsonObject(held) && Object.keys(held).length > 0)) return text;
  if (Array.isArray(held) && held.length > 0) return text;
  const after = file.format.remove(text, file.shelf.path);
  return hasSameMeaning(file, text, after) ? after : text;
}

/** True when two texts say the same, whatever the order of servers and members. */
export function hasSameMeaning(file: ServerFile, a: string, b: string): boolean {
  const [one, other] = [file.format.parse(a), file.format.parse(b)];
  return one.ok && other.ok && toMeaning(file.shelf, one.value) === toMeaning(file.shelf, other.value);
}

function editServer({ format, shelf }: ServerFile, text: string, edit: ServerEdit): string {
  const { name, path = [], value } = edit;
  const place = [...shelf.path, shelf.kind === 'list' ? toItem(format, shelf, text, name) : name, ...path];
  return value === undefined
    ? format.remove(text, place)
    : format.set(text, place, withName(shelf, edit, value));
}

function toMember({ name, path = [] }: ServerEdit): readonly string[] {
  return [name, ...path];
}

function toServers({ path, kind }: ServerShelf, document: JsonObject): readonly NativeServer[] {
  const held = valueAt(document, path);
  if (kind === 'list') {
    const items: readonly JsonValue[] = Array.isArray(held) ? held : [];
    return items.flatMap((value) =>
      isJsonObject(value) && typeof value['name'] === 'string' ? [{ name: value['name'], value }] : [],
    );
  }
  return Object.entries(isJsonObject(held) ? held : {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [{ name, value }] : [],
  );
}

/** Where a server of that name stands in the list, or the place behind the last. */
function toItem(format: Format, { path }: ServerShelf, text: string, name: string): number {
  const parsed = format.parse(text);
  const held = parsed.ok && isJsonObject(parsed.value) ? valueAt(parsed.value, path) : undefined;
  const items: readonly JsonValue[] = Array.isArray(held) ? held : [];
  const found = items.findIndex((item) => isJsonObject(item) && item['name'] === name);
  return found < 0 ? items.length : found;
}

/** In a list each server has to say its name. */
function withName({ kind }: ServerShelf, { name, path = [] }: ServerEdit, value: JsonValue): JsonValue {
  return kind === 'list' && path.length === 0 && isJsonObject(value) ? { ...value, name } : value;
}

function putAt(value: JsonObject, path: readonly string[], put: JsonValue | undefined): JsonObject {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  const others = Object.entries(value).filter(([key]) => key !== part);
  const inner = Object.hasOwn(value, part) ? value[part] : undefined;
  const next = rest.length === 0 ? put : putAt(isJsonObject(inner) ? inner : {}, rest, put);
  return Object.fromEntries(next === undefined ? others : [...others, [part, next]]);
}

/** A document in the parts that a change must keep, or may touch. */
interface Parts {
  /** All but the servers. */
  readonly rest: JsonObject;
  readonly members: JsonObject;
  /** Items of a list that say no name. */
  readonly strays: readonly JsonValue[];
}

function toParts(shelf: ServerShelf, document: JsonObject): Parts {
  const held = valueAt(document, shelf.path);
  const rest = putAt(document, shelf.path, undefined);
  if (shelf.kind === 'record') return { rest, members: isJsonObject(held) ? held : {}, strays: [] };
  const items: readonly JsonValue[] = Array.isArray(held) ? held : [];
  const members = Object.fromEntries(toServers(shelf, document).map(({ name, value }) => [name, value]));
  return { rest, members, strays: items.filter((item) => !isNamed(item)) };
}

/** For comparison: the order means nothing, and no servers are the same as no place for them. */
function toMeaning(shelf: ServerShelf, value: JsonValue): string {
  return isJsonObject(value) ? toText(toParts(shelf, value)) : toCanonicalJson(value);
}

function toText({ rest, members, strays }: Parts): string {
  return toCanonicalJson([rest, members, strays]);
}

function isNamed(item: JsonValue): boolean {
  return isJsonObject(item) && typeof item['name'] === 'string';
}

function unexpected({ path, format }: ServerFile, what: string): GatewayError {
  return new GatewayError(
    'FILE_REFUSED',
    `${path} is valid ${format.name}, but not what its client reads: expected ${what}; it was left as it is: correct it, or name another file with: thimble client config <client> --path <file>`,
    { data: { file: path } },
  );
}
