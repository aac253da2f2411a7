/** Parameters and answers that several tools of projects share. */
import * as z from 'zod';
import { said } from '../said.ts';
import { SOURCE_TYPES } from './citations/csl-item.ts';
import { parseDate } from './citations/dates.ts';
import { parseDoi, parseIsbn, parseWebAddress } from './citations/identifiers.ts';

/** A line: a name, a title, a handful of tags. */
export const shortText = z.string().max(500);

/** The same, where something has to be said. */
export const saidLine = said(500);

/** Whatever somebody wants to keep. */
export const longText = z.string().max(50_000);

/** The same, where something has to be said. */
export const saidText = said(50_000);

/** What a project is, such as research. */
export const projectType = said(100);

/** What is looked for. */
export const query = said(500);

/** How many, at most. */
export const limit = (usual: number) => z.int().min(1).max(100).default(usual);

/** How many to pass over. */
export const offset = z.int().min(0).default(0);

/** What a source is. */
export const sourceType = z.enum(SOURCE_TYPES);

/** Where a source can be read. */
export const webAddress = z
  .string()
  .max(2000)
  .refine(isForm(parseWebAddress), 'has to be a whole http or https address');

/** The DOI, bare or as an address. */
export const doi = z
  .string()
  .max(500)
  .refine(isForm(parseDoi), 'has to be a DOI such as 10.1000/182 or https://doi.org/10.1000/182');

/** The ISBN, with or without hyphens. */
export const isbn = z
  .string()
  .max(50)
  .refine(isForm(parseIsbn), 'has to be an ISBN of 10 or 13 places with the right check digit');

/** When something was published. */
export const publicationDate = z
  .string()
  .max(20)
  .refine(isForm(parseDate), 'has to be a date of the calendar as YYYY, YYYY-MM or YYYY-MM-DD')
  .describe('YYYY, YYYY-MM or YYYY-MM-DD');

/** Counts by name. */
export const counts = z.record(z.string(), z.int());

/** The part of a list that was asked for. */
export const page = { total: z.int(), next_offset: z.int().optional() };

/** Where the rest of a list begins, if there is any. */
export function toNextOffset(total: number, start: number, shown: number): { next_offset?: number } {
  return start + shown < total ? { next_offset: start + shown } : {};
}

/** A sentence on what of a list was shown. */
export function toPageText(
  what: string,
  { total, next_offset }: { total: number; next_offset?: number | undefined },
  shown: number,
): string {
  const rest = next_offset === undefined ? '' : ` Go on with offset ${next_offset}.`;
  return `${shown} of ${total} ${what}.${rest}`;
}

/** A number of things, in words. */
export function toCount(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** The fields of a row that hold something, since an answer leaves out what is empty. */
export function withoutNulls<T extends object>(row: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** The beginning of a text, cut with dots. */
export function toPreview(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** Empty text is kept as nothing. */
export function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

function isForm(parse: (text: string) => unknown): (text: string) => boolean {
  // Empty means not given, as it does for every other text.
  return (text) => text === '' || parse(text) !== undefined;
}
