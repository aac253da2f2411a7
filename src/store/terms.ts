/** Cuts text into what full text can look up, the same way for what is stored and for what is asked. */
import { STOP_WORDS } from './stop-words.ts';

/** One word of a query. */
export interface Term {
  readonly text: string;
  /** True when any word that begins with the text is meant. */
  readonly isPrefix: boolean;
}

/** Scripts that are written without spaces, or with particles joined to their words. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const RUNS = new RegExp(`[${UNSPACED}]+`, 'gu');
const WORDS = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}\\p{Co}])+`, 'gu');
const IS_RUN = new RegExp(`^[${UNSPACED}]`, 'u');

/** More words than these say nothing new about what is meant. */
const MAX_TERMS = 96;

/** The distinct words of a text that say what it is about, in the order they come; all of them when none does. */
export function toTerms(text: string): readonly Term[] {
  const all = toAllTerms(text);
  const telling = all.filter((term) => !STOP_WORDS.has(term.text));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TERMS);
}

/** The distinct words of a text, those too that are in most texts. */
export function toAllTerms(text: string): readonly Term[] {
  const terms = new Map<string, Term>();
  for (const [word] of text.matchAll(WORDS)) {
    for (const term of toWordTerms(word)) terms.set(term.text, term);
  }
  return [...terms.values()].slice(0, MAX_TERMS);
}

/**
 * Pairs of neighbouring characters of everything written without spaces, spelt so that no tokenizer takes them
 * apart; null when there is nothing of the kind. A searchable table keeps them in a column of their own.
 */
export function toGrams(...texts: readonly (string | null | undefined)[]): string | null {
  const grams = new Set<string>();
  for (const text of texts) {
    for (const [run] of (text ?? '').normalize('NFKC').matchAll(RUNS)) {
      const characters = [...run];
      for (const [at, character] of characters.entries())
        grams.add(toGram(character, characters[at + 1] ?? ''));
    }
  }
  return grams.size === 0 ? null : [...grams].join(' ');
}

function toWordTerms(word: string): readonly Term[] {
  if (!IS_RUN.test(word)) return [{ text: word.toLowerCase(), isPrefix: false }];
  const characters = [...word.normalize('NFKC')];
  if (characters.length === 1) return [{ text: toPoint(characters[0] ?? ''), isPrefix: true }];
  return characters
    .slice(1)
    .map((character, at) => ({ text: toGram(characters[at] ?? '', character), isPrefix: false }));
}

/** The last digit keeps a stemmer from taking the end for the ending of an English word. */
function toGram(first: string, second: string): string {
  return `${toPoint(first)}${second === '' ? '' : toPoint(second)}0`;
}

function toPoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(5, '0');
}
