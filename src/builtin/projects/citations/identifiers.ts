/** DOI, ISBN and web addresses, checked for their form; nothing is looked up. */

/** The bare DOI (10.…/…) of whatever carries one; undefined when the form is wrong. */
export function parseDoi(text: string): string | undefined {
  const trimmed = text.trim();
  const address = /^(?:https?:\/\/)?(?:dx\.)?doi\.org\/(.+)$/i.exec(trimmed)?.[1];
  const bare = address === undefined ? trimmed.replace(/^doi:\s*/i, '') : decoded(address);
  return /^10\.\d{4,9}(?:\.\d+)*\/[^\s\p{Cc}]+$/u.test(bare) ? bare : undefined;
}

/** The ISBN without its hyphens; undefined unless it has 10 or 13 places and the right check digit. */
export function parseIsbn(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^(?:isbn(?:-1[03])?:?\s*)/i, '')
    .replace(/[\s\u2010-\u2015-]/g, '')
    .toUpperCase();
  if (/^\d{9}[\dX]$/.test(bare)) return weigh(bare, (place) => 10 - place) % 11 === 0 ? bare : undefined;
  if (!/^97[89]\d{10}$/.test(bare)) return undefined;
  return weigh(bare, (place) => (place % 2 === 0 ? 1 : 3)) % 10 === 0 ? bare : undefined;
}

/** The address as it was written; undefined unless it is a whole http or https URL. */
export function parseWebAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  return trimmed;
}

function weigh(digits: string, weight: (place: number) => number): number {
  return [...digits].reduce(
    (sum, digit, place) => sum + (digit === 'X' ? 10 : Number(digit)) * weight(place),
    0,
  );
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    // A stray % is part of the DOI then, not an escape.
    return address;
  }
}
