/** Porter's stemmer for English: brings inflected forms of a word to one stem; words of other scripts pass unchanged. */

/** The stem of a lower-case word. */
export function toStem(word: string): string {
  if (word.length < 3 || word.length > 40 || !isPlainLatin(word)) return word;
  let stem = dropPlural(word);
  stem = dropPastAndGerund(stem);
  if (stem.endsWith('y') && hasVowel(stem, stem.length - 1)) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, DOUBLE_SUFFIXES, 0);
  stem = replaceSuffix(stem, SINGLE_SUFFIXES, 0);
  stem = dropResidue(stem);
  return tidyEnd(stem);
}

/** Suffix pairs by what replaces them; the first that fits decides, so longer ones stand before their endings. */
const DOUBLE_SUFFIXES: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const SINGLE_SUFFIXES: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const RESIDUES: readonly string[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou',
];

function dropPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

function dropPastAndGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  for (const suffix of ['ed', 'ing']) {
    const end = word.length - suffix.length;
    if (!word.endsWith(suffix)) continue;
    return hasVowel(word, end) ? mend(word.slice(0, end)) : word;
  }
  return word;
}

/** Gives back what an `-ed` or `-ing` took: `hop(p)`, `fil(e)`, `creat(e)`. */
function mend(stem: string): string {
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  const last = stem.at(-1);
  if (endsDouble(stem, stem.length) && last !== 'l' && last !== 's' && last !== 'z') return stem.slice(0, -1);
  if (measure(stem, stem.length) === 1 && endsShort(stem, stem.length)) return `${stem}e`;
  return stem;
}

function replaceSuffix(
  word: string,
  suffixes: readonly (readonly [string, string])[],
  minMeasure: number,
): string {
  for (const [suffix, replacement] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const end = word.length - suffix.length;
    return measure(word, end) > minMeasure ? word.slice(0, end) + replacement : word;
  }
  return word;
}

function dropResidue(word: string): string {
  for (const suffix of RESIDUES) {
    if (!word.endsWith(suffix)) continue;
    const end = word.length - suffix.length;
    return measure(word, end) > 1 ? word.slice(0, end) : word;
  }
  const end = word.length - 3;
  const dropsIon = word.endsWith('sion') || word.endsWith('tion');
  return dropsIon && measure(word, end) > 1 ? word.slice(0, end) : word;
}

function tidyEnd(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const end = stem.length - 1;
    const size = measure(stem, end);
    if (size > 1 || (size === 1 && !endsShort(stem, end))) stem = stem.slice(0, -1);
  }
  return stem.endsWith('ll') && measure(stem, stem.length) > 1 ? stem.slice(0, -1) : stem;
}

function isPlainLatin(word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

function isConsonant(word: string, index: number): boolean {
  switch (word.charCodeAt(index)) {
    case 97: // a
    case 101: // e
    case 105: // i
    case 111: // o
    case 117: // u
      return false;
    case 121: // y
      return index === 0 || !isConsonant(word, index - 1);
    default:
      return true;
  }
}

/** Porter's m: how often a vowel run is followed by a consonant run before `end`. */
function measure(word: string, end: number): number {
  let count = 0;
  let wasVowel = false;
  for (let index = 0; index < end; index++) {
    const consonant = isConsonant(word, index);
    if (consonant && wasVowel) count++;
    wasVowel = !consonant;
  }
  return count;
}

function hasVowel(word: string, end: number): boolean {
  for (let index = 0; index < end; index++) if (!isConsonant(word, index)) return true;
  return false;
}

function endsDouble(word: string, end: number): boolean {
  return end > 1 && word[end - 1] === word[end - 2] && isConsonant(word, end - 1);
}

/** True when the part before `end` closes consonant-vowel-consonant, the last not w, x or y. */
function endsShort(word: string, end: number): boolean {
  if (end < 3 || !isConsonant(word, end - 1) || isConsonant(word, end - 2) || !isConsonant(word, end - 3)) {
    return false;
  }
  const last = word[end - 1];
  return last !== 'w' && last !== 'x' && last !== 'y';
}
