/** Builds arguments from nothing but the text of a signature, as a model would: what it cannot read there it does not know. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';

/** Arguments for a signature such as `(path: string, limit?: integer 1..100)`. */
export function fromSignature(signature: string, optionalToo: boolean): JsonObject {
  const inner = signature.replace(/^\(|\)$/g, '');
  const args: Record<string, JsonValue> = {};
  for (const part of splitTop(inner, ',')) {
    const member = toMember(part);
    if (member && (!member.optional || optionalToo)) args[member.name] = toValue(member.type);
  }
  return args;
}

function toMember(part: string): { name: string; optional: boolean; type: string } | undefined {
  const match = /^\s*("(?:[^"\\]|\\.)*"|[^\s:?]+)(\?)?\s*(?::\s*(.*))?$/s.exec(part);
  if (!match || part.trim().startsWith('…')) return undefined;
  const [, name = '', mark, type = 'any'] = match;
  return { name: name.startsWith('"') ? (JSON.parse(name) as string) : name, optional: mark === '?', type };
}

/** A value of a type, read from its text alone. */
function toValue(text: string): JsonValue {
  const [first = 'any'] = splitTop(withoutDefault(text.trim()), '|').filter(
    (variant) => variant.trim() !== '…',
  );
  const type = first.trim();
  const list = /^(.*)\[(\d*)\.\.(\d*)\]$|^(.*)\[\]$/s.exec(type);
  if (list && isBalanced(list[1] ?? list[4] ?? '')) {
    const count = Math.max(1, Number(list[2] ?? 1));
    return Array.from({ length: count }, () => toValue(unwrap(list[1] ?? list[4] ?? 'any')));
  }
  if (type.startsWith('[')) return splitTop(type.slice(1, -1), ',').map(toValue);
  if (type.startsWith('{[key]')) return { key: toValue(type.slice(type.indexOf(':') + 1, -1)) };
  if (type.startsWith('{')) return fromSignature(`(${type.slice(1, -1)})`, false);
  if (/^["\d-]/.test(type)) return JSON.parse(type) as JsonValue;
  return toPlain(type);
}

function toPlain(type: string): JsonValue {
  const pattern = / \/(.*)\/$/s.exec(type)?.[1];
  const length = /\((\d*)\.\.(\d*) chars\)/.exec(type);
  if (pattern !== undefined)
    return toMatching(pattern, Number(length?.[1] ?? 0), Number(length?.[2] || Number.POSITIVE_INFINITY));
  if (type.startsWith('string'))
    return length ? 'x'.repeat(Math.max(Number(length[1]), Math.min(3, Number(length[2] || 3)))) : 'text';
  const range = /^(?:integer|number) (-?[\d.e-]*?)\.\.(-?[\d.e-]*)$/.exec(type);
  if (range) return range[1] ? Number(range[1]) : Number(range[2]);
  if (/^(integer|number)/.test(type)) return 1;
  if (type === 'boolean' || type === 'true' || type === 'false') return type !== 'false';
  if (type === 'null') return null;
  return type === 'object' ? {} : 'anything';
}

function withoutDefault(text: string): string {
  const parts = splitTop(text, '=');
  return parts.length > 1 && / $/.test(parts[0] ?? '') ? (parts[0] ?? '').trim() : text;
}

function unwrap(text: string): string {
  return text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1) : text;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const letter of text) depth += '({['.includes(letter) ? 1 : ')}]'.includes(letter) ? -1 : 0;
  return depth === 0;
}

/** Splits at a letter that stands outside brackets, quotes and patterns. */
function splitTop(text: string, at: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted: string | undefined;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const letter = text[index] ?? '';
    if (quoted !== undefined) {
      if (letter === '\\') index += 1;
      else if (letter === quoted) quoted = undefined;
    } else if (letter === '"' || (letter === '/' && text[index - 1] === ' ')) quoted = letter;
    else if ('({[<'.includes(letter)) depth += 1;
    else if (')}]>'.includes(letter)) depth -= 1;
    else if (letter === at && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.filter((part) => part.trim() !== '');
}

/** Some text that fits a pattern and, where they are said, the bounds of its length. */
function toMatching(pattern: string, low: number, high: number): string {
  const shape = new RegExp(pattern, 'u');
  const samples = fc.sample(fc.stringMatching(shape), { numRuns: 20, seed: 1 });
  const longer = samples
    .filter((text) => text !== '')
    .map((text) => text.repeat(Math.ceil(low / text.length)).slice(0, low));
  const fits = (text: string) => text.length >= low && text.length <= high && shape.test(text);
  return [...samples, ...longer].find(fits) ?? samples[0] ?? '';
}
