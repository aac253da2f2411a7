/** Looks into a configuration as it is written, and shows it without its secrets. */
import { toPathText } from '../../config/faults.ts';
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../model/json.ts';
import { hideSecrets } from '../secrets/secret-values.ts';
import { toDiffLines } from './diff-lines.ts';
import { hideText } from './hidden-text.ts';

/** The same document, with whatever is secret in it left out. */
export function hideDocument(document: JsonObject): JsonObject {
  const { mcpServers, builtin, ...rest } = document;
  return {
    ...hideSecrets(rest),
    ...(builtin !== undefined && { builtin: hideEach(builtin) }),
    ...(mcpServers !== undefined && { mcpServers: hideEach(mcpServers) }),
  };
}

/** The value at a path, own members only. */
export function at(
  document: JsonValue | undefined,
  path: readonly (string | number)[],
): JsonValue | undefined {
  return valueAt(document, path);
}

/** A file as it is or would be. */
export interface Written {
  /** Undefined when there is none. */
  readonly text: string | undefined;
  readonly value: JsonObject;
}

/** A change of the configuration for a person to look at: of the lines of the file, without its secrets. */
export function toChangeLines(file: string, before: Written, after: Written): readonly string[] {
  if (JSON.stringify(before.value) === JSON.stringify(after.value)) return [];
  const [from, to] = [before, after].map(toShownText);
  if (from === to) return [`${file}: only values that are not shown change`];
  return toDiffLines(file, from, to ?? '');
}

/** Every value that is written, one a line, lists as a whole. */
export function toLeaves(
  value: JsonValue | undefined,
  path: readonly string[] = [],
): readonly { readonly key: string; readonly value: JsonValue }[] {
  if (value === undefined) return [];
  if (!isJsonObject(value) || (Object.keys(value).length === 0 && path.length > 0))
    return [{ key: toPathText(path), value }];
  return Object.entries(value).flatMap(([key, member]) => toLeaves(member, [...path, key]));
}

/** A value in one line, texts without quotes. */
export function toWords(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** What a setting of several parts becomes, in full: a long diff is cut. */
export function describeValue(key: string, value: JsonValue | undefined): readonly string[] {
  return typeof value === 'object' ? [`sets ${key} to ${toWords(value)}`] : [];
}

function hideEach(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, isJsonObject(entry) ? hideSecrets(entry) : entry]),
  );
}

function toShownText({ text, value }: Written): string | undefined {
  return text === undefined ? undefined : hideText(text, hideDocument(value));
}
