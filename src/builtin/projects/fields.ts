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

function isForm(parse: (text: string) => unknown): (text: string) => boolean {
  // Blank means not given, as it does for every other text.
  return (text) => text.trim() === '' || parse(text) !== undefined;
}
