/** Cuts text and identifiers into lower-case words: at separators, at changes of case and between letters and digits. */

/** Takes one word. */
export type TakeWord = (word: string) => void;

const MAX_WORD = 40;
const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const DENSE = 4;

/** Calls back for every word of a text, in order; scripts written without spaces give overlapping pairs of letters. */
export function splitWords(text: string, take: TakeWord): void {
  const plain = toPlain(text);
  let index = 0;
  while (index < plain.length) {
    const kind = kindOf(plain.charCodeAt(index));
    if (kind === OTHER) {
      index++;
      continue;
    }
    const start = index;
    index++;
    const dense = kind === DENSE;
    while (index < plain.length) {
      const next = kindOf(plain.charCodeAt(index));
      if (next === OTHER || (next === DENSE) !== dense) break;
      index++;
    }
    if (dense) takePairs(plain, start, index, take);
    else takeRun(plain, start, index, take);
  }
}

/** One run of letters and digits: the whole of it, and its parts when it has several. */
function takeRun(text: string, start: number, end: number, take: TakeWord): void {
  const bounds = [start];
  for (let index = start + 1; index < end; index++) if (isBoundary(text, index, end)) bounds.push(index);
  const parts = bounds.length;
  // Long identifiers are found by their parts; as one word nobody would type them.
  if (parts <= 2) take(toWord(text, start, end));
  if (parts === 1) return;
  bounds.push(end);
  for (let part = 0; part < parts; part++) {
    const from = bounds[part] ?? end;
    const to = bounds[part + 1] ?? end;
    if (to - from > 1 || parts > 2) take(toWord(text, from, to));
  }
}

function takePairs(text: string, start: number, end: number, take: TakeWord): void {
  if (end - start === 1) take(text.slice(start, end));
  for (let index = start; index + 1 < end; index++) take(text.slice(index, index + 2));
}

function toWord(text: string, start: number, end: number): string {
  return text.slice(start, Math.min(end, start + MAX_WORD)).toLowerCase();
}

/** True when a new part begins here: `get|User`, `HTTP|Server`, `v|2`. */
function isBoundary(text: string, index: number, end: number): boolean {
  const before = kindOf(text.charCodeAt(index - 1));
  const here = kindOf(text.charCodeAt(index));
  if ((before === DIGIT) !== (here === DIGIT)) return true;
  if (here !== UPPER) return false;
  return before === LOWER || (index + 1 < end && kindOf(text.charCodeAt(index + 1)) === LOWER);
}

/** Without accents and width variants; most text is ASCII and needs neither. */
function toPlain(text: string): string {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 127) {
      return text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC');
    }
  }
  return text;
}

function kindOf(code: number): number {
  if (code < 128) {
    if (code >= 97 && code <= 122) return LOWER;
    if (code >= 65 && code <= 90) return UPPER;
    return code >= 48 && code <= 57 ? DIGIT : OTHER;
  }
  return isDense(code) ? DENSE : kindOfOther(code);
}

/** Thai, kana, Han and Hangul. */
function isDense(code: number): boolean {
  return (
    (code >= 0x0e00 && code <= 0x0e7f) ||
    (code >= 0x3041 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}

function kindOfOther(code: number): number {
  // Punctuation, symbols and private use; surrogates too, since no word of a living language needs them.
  if (code < 0xc0 || (code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x3040)) return OTHER;
  if (code >= 0xd800 && code <= 0xf8ff) return OTHER;
  if (code >= 0xfe00) return OTHER;
  const letter = String.fromCharCode(code);
  return letter.toLowerCase() === letter ? LOWER : UPPER;
}
