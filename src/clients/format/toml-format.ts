/** TOML: tables and pairs are put in and taken out as lines, everything else keeps its bytes. */
import type * as Toml from 'smol-toml';
import { splice, splitBom, toEol } from '../../config/edit/text.ts';
import { nest } from '../../config/jsonc.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Format } from './format.ts';
import { type Statement, toStatements } from './toml-statements.ts';

type TomlLibrary = typeof Toml;

/** Loads the format, with its library. */
export async function loadTomlFormat(): Promise<Format> {
  return createTomlFormat(await import('smol-toml'));
}

function createTomlFormat(toml: TomlLibrary): Format {
  return {
    name: 'TOML',
    parse(text) {
      const [, body] = splitBom(text);
      try {
        return { ok: true, value: toPlain(toml.parse(body, { integersAsBigInt: 'asNeeded' })) };
      } catch (error) {
        if (!(error instanceof toml.TomlError)) throw error;
        const problem = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? 'not TOML';
        return { ok: false, line: error.line, problem };
      }
    },
    set(text, path, value) {
      const [bom, body] = splitBom(text);
      return bom + setIn(body, path.map(String), value, (at) => valueAt(toml, body, at));
    },
    remove(text, path) {
      const [bom, body] = splitBom(text);
      return bom + removeFrom(body, path.map(String), (at) => valueAt(toml, body, at));
    },
  };
}

type ValueAt = (path: readonly string[]) => JsonValue | undefined;

function valueAt(toml: TomlLibrary, body: string, path: readonly string[]): JsonValue | undefined {
  const root = toPlain(toml.parse(body, { integersAsBigInt: 'asNeeded' }));
  return path.reduce<JsonValue | undefined>(
    (value, part) => (isJsonObject(value) ? value[part] : undefined),
    root,
  );
}

/** Dates and large numbers as texts, so that values can be compared. */
function toPlain(value: unknown): JsonValue {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? `${member}n` : member,
  );
  return JSON.parse(text) as JsonValue;
}

function setIn(body: string, path: readonly string[], value: JsonValue, at: ValueAt): string {
  const statements = toStatements(body);
  const same = statements.find(({ kind, path: other }) => kind === 'pair' && isSame(other, path));
  if (same && !isJsonObject(value)) return splice(body, ...same.value, toInline(value));
  const around = findAround(statements, path);
  if (around) {
    const rest = path.slice(around.path.length);
    return splice(body, ...around.value, toInline(withMember(at(around.path), rest, value)));
  }
  if (isJsonObject(value)) {
    const without = at(path) === undefined ? body : removeFrom(body, path, at);
    return insertLines(without, path, toTable(path, value, toEol(body)), true);
  }
  const parent = path.slice(0, -1);
  const near = findNear(statements, parent);
  if (near?.kind === 'pair') return insertPair(body, near.end, path.slice(near.table.length), value);
  if (near && isSame(near.path, parent))
    return insertPair(body, lastOf(statements, near).end, path.slice(-1), value);
  if (parent.length === 0) return insertPair(body, 0, path, value);
  const table = nest(path.slice(-1), value) as JsonObject;
  return insertLines(body, parent, toTable(parent, table, toEol(body)), true);
}

/** What the nearest table above a member was made by: its header, or the last dotted key that runs through it. */
function findNear(statements: readonly Statement[], parent: readonly string[]): Statement | undefined {
  for (let length = parent.length; length > 0; length--) {
    const head = parent.slice(0, length);
    const header = statements.find(({ kind, path }) => kind === 'table' && isSame(path, head));
    const dotted = statements.findLast(
      ({ kind, path, table }) => kind === 'pair' && table.length < length && startsWith(path, head),
    );
    if (header ?? dotted) return header ?? dotted;
  }
  return undefined;
}

function insertPair(body: string, offset: number, key: readonly string[], value: JsonValue): string {
  return insertAt(body, offset, `${toKey(key)} = ${toInline(value)}`);
}

/** Near its neighbours: behind the last statement of the longest path that both share. */
function insertLines(body: string, path: readonly string[], lines: string, apart: boolean): string {
  const statements = toStatements(body);
  for (let length = path.length; length > 0; length--) {
    const head = path.slice(0, length);
    const last = statements.findLast((statement) => startsWith(statement.path, head));
    if (last) return insertAt(body, sectionEnd(statements, last), apart ? toEol(body) + lines : lines);
  }
  const apartFromTop = body.trim() !== '' && apart;
  return insertAt(body, body.length, apartFromTop ? toEol(body) + lines : lines);
}

/** A new table ends the one before it, so it goes behind the last pair of that one. */
function sectionEnd(statements: readonly Statement[], from: Statement): number {
  let end = from.end;
  for (const statement of statements.slice(statements.indexOf(from) + 1)) {
    if (statement.kind === 'table') break;
    end = statement.end;
  }
  return end;
}

function insertAt(body: string, offset: number, lines: string): string {
  const eol = toEol(body);
  const open = offset > 0 && body[offset - 1] !== '\n';
  return splice(body, offset, offset, open ? eol + lines : lines + eol);
}

function removeFrom(body: string, path: readonly string[], at: ValueAt): string {
  const statements = toStatements(body);
  const around = findAround(statements, path);
  if (around) {
    const rest = path.slice(around.path.length);
    return splice(body, ...around.value, toInline(withMember(at(around.path), rest, undefined)));
  }
  const left = toSpans(body, statements, path).reduceRight(
    (text, [from, to]) => splice(text, from, to, ''),
    body,
  );
  return body.endsWith('\n') ? left : left.replace(/\r?\n$/, '');
}

/** The lines a path takes, without overlaps: a whole table, or single pairs. */
function toSpans(
  body: string,
  statements: readonly Statement[],
  path: readonly string[],
): [number, number][] {
  const spans: [number, number][] = [];
  for (const statement of statements) {
    if (!startsWith(statement.path, path) || statement.start < (spans.at(-1)?.[1] ?? 0)) continue;
    const isTable = statement.kind === 'table';
    const from = isTable ? blankBefore(body, statement.start) : statement.start;
    spans.push([from, isTable ? lastOf(statements, statement).end : statement.end]);
  }
  return spans;
}

/** Where the blank lines before an offset begin. */
function blankBefore(body: string, offset: number): number {
  const blank = /(?:^|\n)((?:[ \t]*\r?\n)+)$/.exec(body.slice(0, offset));
  return offset - (blank?.[1]?.length ?? 0);
}

/** The last statement of the table a header opens. */
function lastOf(statements: readonly Statement[], header: Statement): Statement {
  let last = header;
  for (const statement of statements.slice(statements.indexOf(header) + 1)) {
    if (statement.kind === 'table') break;
    last = statement;
  }
  return last;
}

/** The pair whose inline table holds a path. */
function findAround(statements: readonly Statement[], path: readonly string[]): Statement | undefined {
  return statements.find(
    ({ kind, path: other }) => kind === 'pair' && other.length < path.length && startsWith(path, other),
  );
}

function withMember(
  value: JsonValue | undefined,
  path: readonly string[],
  put: JsonValue | undefined,
): JsonValue {
  const [part, ...rest] = path;
  const members = isJsonObject(value) ? value : {};
  if (part === undefined) return put ?? {};
  const others = Object.entries(members).filter(([key]) => key !== part);
  if (rest.length === 0 && put === undefined) return Object.fromEntries(others);
  return Object.fromEntries([...others, [part, withMember(members[part], rest, put)]]);
}

function toTable(path: readonly string[], value: JsonObject, eol: string): string {
  const members = Object.entries(value).filter(
    (member): member is [string, JsonValue] => member[1] !== undefined,
  );
  const pairs = members.filter(([, member]) => !isJsonObject(member));
  const tables = members.filter(([, member]) => isJsonObject(member));
  return [
    `[${toKey(path)}]`,
    ...pairs.map(([key, member]) => `${toKey([key])} = ${toInline(member)}`),
    ...tables.flatMap(([key, member]) => ['', toTable([...path, key], member as JsonObject, eol)]),
  ].join(eol);
}

function toInline(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(toInline).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${toKey([key])} = ${toInline(member ?? '')}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function toKey(path: readonly string[]): string {
  return path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join('.');
}

function startsWith(path: readonly string[], head: readonly string[]): boolean {
  return head.every((part, index) => path[index] === part);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}
