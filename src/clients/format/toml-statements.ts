/** The statements of a TOML document that is known to be well formed, with where each of them stands. */
import { lineStart, nextLine } from '../../config/edit/text.ts';

/** One header or one pair. */
export interface Statement {
  readonly kind: 'table' | 'pair';
  /** From the top of the document, the table it stands in included. */
  readonly path: readonly string[];
  /** The table that was open before it. */
  readonly table: readonly string[];
  /** Where its first line begins. */
  readonly start: number;
  /** Where the line after its last begins. */
  readonly end: number;
  /** Where the value of a pair begins and ends. */
  readonly value: readonly [number, number];
}

/** Reads the statements in order. */
export function toStatements(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const start = lineStart(text, at);
    if (text[at] === '[') {
      const depth = text[at + 1] === '[' ? 2 : 1;
      const [path, stop] = readKey(text, at + depth);
      at = nextLine(text, stop);
      statements.push({ kind: 'table', path, table, start, end: at, value: [stop, stop] });
      table = path;
      continue;
    }
    const [key, stop] = readKey(text, at);
    const from = stop + 1 + (/^[ \t]*/.exec(text.slice(stop + 1))?.[0].length ?? 0);
    const to = skipValue(text, from);
    at = nextLine(text, to);
    statements.push({ kind: 'pair', path: [...table, ...key], table, start, end: at, value: [from, to] });
  }
  return statements;
}

function skipBlank(text: string, offset: number): number {
  let at = offset;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++;
    if (text[at] !== '#') return at;
    at = nextLine(text, at);
  }
}

/** A dotted key and where it ends: at the `=` or the `]` behind it. */
function readKey(text: string, offset: number): readonly [path: string[], stop: number] {
  const path: string[] = [];
  let at = offset;
  for (;;) {
    while (/[ \t]/.test(text[at] ?? '')) at++;
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = skipString(text, at);
      const raw = text.slice(at + 1, end - 1);
      path.push(quote === '"' ? toUnescaped(raw) : raw);
      at = end;
    } else {
      const bare = /^[A-Za-z0-9_-]*/.exec(text.slice(at, at + 1_000))?.[0] ?? '';
      path.push(bare);
      at += bare.length;
    }
    while (/[ \t]/.test(text[at] ?? '')) at++;
    if (text[at] !== '.') return [path, at];
    at++;
  }
}

function toUnescaped(raw: string): string {
  try {
    return String(
      JSON.parse(
        `"${raw.replace(/\\U([0-9a-fA-F]{8})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))}"`,
      ),
    );
  } catch {
    return raw;
  }
}

function skipValue(text: string, offset: number): number {
  let depth = 0;
  let at = offset;
  let end = offset;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '"' || char === "'") at = skipString(text, at);
    else if (char === '#') {
      if (depth === 0) return end;
      at = nextLine(text, at);
      continue;
    } else if (char === '\n' && depth === 0) return end;
    else {
      if (char === '[' || char === '{') depth++;
      if (char === ']' || char === '}') depth--;
      at++;
    }
    if (!/\s/.test(char)) end = at;
  }
  return end;
}

function skipString(text: string, offset: number): number {
  const quote = text[offset] ?? '"';
  const triple = quote.repeat(3);
  const escapes = quote === '"';
  if (text.startsWith(triple, offset)) {
    let at = offset + 3;
    while (at < text.length && !text.startsWith(triple, at)) at += escapes && text[at] === '\\' ? 2 : 1;
    at += 3;
    // Up to two quotes may stand right before the closing three.
    while (text[at] === quote) at++;
    return at;
  }
  let at = offset + 1;
  while (at < text.length && text[at] !== quote) at += escapes && text[at] === '\\' ? 2 : 1;
  return at + 1;
}
