/** The beginning of a text in plain words, and how long reading the rest takes. */
import { toPlainText } from './markdown.ts';

const LENGTH = 200;
/** A word longer than this is cut rather than left out. */
const LONGEST_WORD = 40;
const WORDS_A_MINUTE = 220;
const CHARACTERS_A_MINUTE = 500;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/** At most 200 characters, cut between words where there are any. */
export function toExcerpt(markdown: string): string {
  const characters = [...toPlainText(markdown)];
  if (characters.length <= LENGTH) return characters.join('');
  const head = characters.slice(0, LENGTH - 1);
  const gap = characters[LENGTH - 1] === ' ' ? head.length : head.lastIndexOf(' ');
  const kept = gap >= LENGTH - LONGEST_WORD ? head.slice(0, gap) : head;
  return `${kept.join('').replace(/[\s,;:–—-]+$/u, '')}…`;
}

/** Whole minutes, at least one. */
export function toReadingMinutes(markdown: string): number {
  const unspaced = markdown.match(UNSPACED)?.length ?? 0;
  const words = markdown.replaceAll(UNSPACED, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return Math.max(1, Math.round(words / WORDS_A_MINUTE + unspaced / CHARACTERS_A_MINUTE));
}
