/** A source as it is kept, turned into the CSL-JSON item every format is made from. */
import { type DateParts, parseDate } from './dates.ts';
import { type CslName, parseAuthors } from './names.ts';

/** What a source can be. */
export const SOURCE_TYPES = [
  'web_article',
  'academic_paper',
  'book',
  'interview',
  'web_search',
  'web_scrape',
  'api_data',
  'document',
  'video',
  'podcast',
  'social_media',
  'government_doc',
  'dataset',
  'other',
] as const;

/** One of them. */
export type SourceType = (typeof SOURCE_TYPES)[number];

/** What of a source is cited. */
export interface CitedSource {
  readonly id: number;
  readonly title: string;
  readonly source_type: SourceType;
  readonly authors: string | null;
  readonly publication_date: string | null;
  readonly publisher: string | null;
  readonly url: string | null;
  readonly doi: string | null;
  readonly isbn: string | null;
  /** The day it was looked at, ISO 8601. */
  readonly retrieval_date: string | null;
}

/** A date as CSL-JSON has it. */
export interface CslDate {
  readonly 'date-parts': readonly [DateParts];
}

/** The part of CSL-JSON we use. */
export interface CslItem {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly 'citation-key': string;
  readonly genre?: string;
  readonly medium?: string;
  readonly author?: readonly CslName[];
  readonly issued?: CslDate;
  readonly submitted?: CslDate;
  readonly accessed?: CslDate;
  readonly 'container-title'?: string;
  readonly publisher?: string;
  readonly URL?: string;
  readonly DOI?: string;
  readonly ISBN?: string;
}

interface Kind {
  readonly type: string;
  /** Where the publisher of the source belongs: the work it stands in, or the house that issued it. */
  readonly publisher: 'container-title' | 'publisher';
  readonly genre?: string;
  readonly medium?: string;
}

const PAGE: Kind = { type: 'webpage', publisher: 'container-title' };
const FIGURES: Kind = { type: 'dataset', publisher: 'publisher', genre: 'Dataset' };
const PAPER: Kind = { type: 'document', publisher: 'publisher' };

const KINDS: Readonly<Record<SourceType, Kind>> = {
  web_article: PAGE,
  academic_paper: { type: 'article-journal', publisher: 'container-title' },
  book: { type: 'book', publisher: 'publisher' },
  interview: { type: 'interview', publisher: 'container-title', genre: 'Interview' },
  web_search: PAGE,
  web_scrape: PAGE,
  api_data: FIGURES,
  document: PAPER,
  video: { type: 'motion_picture', publisher: 'container-title', medium: 'Video' },
  podcast: { type: 'broadcast', publisher: 'container-title', genre: 'Audio podcast episode' },
  social_media: { type: 'post', publisher: 'container-title', genre: 'Post' },
  government_doc: { type: 'report', publisher: 'publisher' },
  dataset: FIGURES,
  other: PAPER,
};

/** The CSL-JSON item of a source. */
export function toCslItem(source: CitedSource): CslItem {
  const kind = KINDS[source.source_type];
  const author = parseAuthors(source.authors ?? '');
  const issued = toDate(source.publication_date);
  const accessed = source.url === null ? undefined : toDate(source.retrieval_date?.slice(0, 10) ?? null);
  return {
    id: `source-${source.id}`,
    type: kind.type,
    title: source.title,
    'citation-key': toKey(source.id, author, issued),
    ...(kind.genre !== undefined && { genre: kind.genre }),
    ...(kind.medium !== undefined && { medium: kind.medium }),
    ...(author.length > 0 && { author }),
    ...(issued && { issued }),
    ...(accessed && { accessed }),
    ...(source.publisher !== null && { [kind.publisher]: source.publisher }),
    ...(source.url !== null && { URL: source.url }),
    ...(source.doi !== null && { DOI: source.doi }),
    ...(source.isbn !== null && { ISBN: source.isbn }),
  };
}

function toDate(text: string | null): CslDate | undefined {
  const parts = text === null ? undefined : parseDate(text);
  return parts && { 'date-parts': [parts] };
}

/** Unique by the id of the source, so that it does not move with what else is in a bibliography. */
function toKey(id: number, author: readonly CslName[], issued: CslDate | undefined): string {
  const [first] = author;
  const name = first === undefined ? '' : 'family' in first ? first.family : first.literal;
  const word = name
    .normalize('NFKD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
    .slice(0, 20);
  return `${word === '' ? 'source' : word}${issued?.['date-parts'][0][0] ?? ''}-${id}`;
}
