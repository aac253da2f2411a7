/** A CSL-JSON item as a BibTeX entry; ours, since citation-js drops what is not Latin and escapes no institution. */
import type { CslItem } from './csl-item.ts';
import type { CslName } from './names.ts';

const ENTRY_TYPES: Readonly<Record<string, string>> = {
  'article-journal': 'article',
  book: 'book',
  report: 'techreport',
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What means something to TeX, and how it is written instead; braces must stay balanced even when escaped. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '&': '\\&',
  '%': '\\%',
  $: '\\$',
  '#': '\\#',
  _: '\\_',
};

/** The entry, in UTF-8; the title is braced twice, so that no style changes its capitals. */
export function toBibtex(item: CslItem): string {
  const type = ENTRY_TYPES[item.type] ?? 'misc';
  const house = item['container-title'] ?? item.publisher;
  const [year, month] = item.issued?.['date-parts'][0] ?? [];
  const note = item.genre ?? item.medium;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['title', `{{${escapeTex(item.title)}}}`],
    ['author', item.author && `{${item.author.map(toName).join(' and ')}}`],
    [houseField(type), house && `{${escapeTex(house)}}`],
    ['year', year === undefined ? undefined : `{${year}}`],
    ['month', month === undefined ? undefined : MONTHS[month - 1]],
    ['doi', item.DOI && `{${escapeAddress(item.DOI)}}`],
    ['isbn', item.ISBN && `{${item.ISBN}}`],
    ['url', item.URL && `{${escapeAddress(item.URL)}}`],
    ['urldate', item.accessed && `{${toIso(item.accessed['date-parts'][0])}}`],
    ['note', note && `{${note}}`],
  ];
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name} = ${value}`]));
  return `@${type}{${item['citation-key']},\n${lines.join(',\n')}\n}`;
}

function houseField(type: string): string {
  if (type === 'article') return 'journal';
  if (type === 'book') return 'publisher';
  return type === 'techreport' ? 'institution' : 'howpublished';
}

function toName(name: CslName): string {
  if ('literal' in name) return `{${escapeTex(name.literal)}}`;
  const given = name.given === undefined ? undefined : toNamePart(name.given);
  return [toNamePart(name.family), name.suffix, given].filter((part) => part !== undefined).join(', ');
}

/** An "and" inside a name would read as the next author, and some readers take the blank after an escape for its end. */
function toNamePart(text: string): string {
  const part = escapeTex(text);
  return part !== text || /\band\b/i.test(part) ? `{${part}}` : part;
}

function escapeTex(text: string): string {
  return text.replace(/[\\{}~^<>&%$#_]/g, (sign) => ESCAPES[sign] ?? sign);
}

/** Addresses are set verbatim, so only what would end the field is written as an escape of the address. */
function escapeAddress(text: string): string {
  return text.replace(/[\\{}]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function toIso(parts: readonly number[]): string {
  return parts.map((part, place) => String(part).padStart(place === 0 ? 4 : 2, '0')).join('-');
}
