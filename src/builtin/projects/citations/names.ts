/** Authors as people write them, taken apart into the names a citation style needs. */

/** A name as CSL has it: a person in parts, or an institution as one piece. */
export type CslName =
  | { readonly family: string; readonly given?: string; readonly suffix?: string }
  | { readonly literal: string };

const INITIALS = /^(\p{Lu}\p{M}*\.?[\s-]*){1,5}$/u;
const SUFFIX = /^(jr|sr|ii|iii|iv)\.?$/i;
const AND = /\s*,?\s*(?:&|\s(?:and|und|et|y)\s(?!al\b))\s*/iu;
const AND_OTHERS = /[,;]?\s*(?:&\s*|and\s+)?(?:et al\.?|and others)\s*$/iu;
const INSTITUTION =
  /(?<!\p{L})(academy|administration|agency|association|authority|bank|board|bureau|cent(?:er|re)|college|commission|committee|company|congress|corp(?:oration)?|council|department|federation|foundation|gmbh|government|group|inc|institut(?:e|ion|o)?|laborator(?:y|ies)|llc|ltd|ministry|museum|network|office|organi[sz]ation|parliament|press|program(?:me)?|school|senate|society|team|trust|union|universit(?:y|ät|é|ad|à)|united nations)(?!\p{L})/iu;

/**
 * Reads "Last, First; Last, First", "Last, F. M., & Last, G.", and institutions. Only a comma or initials
 * make a person of a name: everything else stays as it was written, since a wrong guess garbles it.
 */
export function parseAuthors(text: string): readonly CslName[] {
  const list = text.replace(AND_OTHERS, '').trim();
  if (list === '') return text.trim() === '' ? [] : [{ literal: text.trim() }];
  if (list.includes(';')) return list.split(';').flatMap((part) => toNames(part));
  const parts = list.split(AND);
  const first = parts[0] ?? '';
  // "Health and Human Services" holds an "and" too, so a list must begin with a person.
  return parts.length > 1 && isPerson(first) ? parts.flatMap((part) => toNames(part)) : toNames(list);
}

function isPerson(text: string): boolean {
  const [name] = toNames(text);
  return name !== undefined && 'family' in name;
}

function toNames(part: string): readonly CslName[] {
  const text = part
    .trim()
    .replace(/^,+|,+$/g, '')
    .trim();
  if (text === '') return [];
  const braced = /^\{(.+)\}$/su.exec(text)?.[1]?.trim();
  if (braced) return [{ literal: braced }];
  const pieces = text
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
  if (pieces.length < 2 || INSTITUTION.test(pieces[0] ?? '')) return [toUnpunctuated(text)];
  return fromPieces(pieces) ?? [{ literal: text }];
}

/** A name without a comma: a person only when initials give it away ("J. A. Doe"). */
function toUnpunctuated(text: string): CslName {
  const match = /^((?:\p{Lu}\p{M}*\.[\s-]*)+)\s*(\p{L}[\p{L}\p{M}'’-]+(?:\s\p{L}[\p{L}\p{M}'’-]+)?)$/u.exec(
    text,
  );
  const [, given, family] = match ?? [];
  if (given === undefined || family === undefined || INSTITUTION.test(family)) return { literal: text };
  return { family, given: given.trim() };
}

/** Family and given names by turns, as APA lists them; undefined when the pieces do not fall into pairs. */
function fromPieces(pieces: readonly string[]): readonly CslName[] | undefined {
  const names: CslName[] = [];
  let at = 0;
  while (at < pieces.length) {
    const family = pieces[at];
    const given = pieces[at + 1];
    if (family === undefined || given === undefined) return undefined;
    const suffix = pieces[at + 2];
    const hasSuffix = suffix !== undefined && SUFFIX.test(suffix);
    const alone = pieces.length === (hasSuffix ? 3 : 2);
    // Beyond a single name only initials tell a given name from the next family name.
    if (!alone && !INITIALS.test(given)) return undefined;
    names.push(hasSuffix ? { family, given, suffix } : { family, given });
    at += hasSuffix ? 3 : 2;
  }
  return names;
}
