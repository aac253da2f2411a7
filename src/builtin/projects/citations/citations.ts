/** Citations and bibliographies of sources, in every format we offer. */
import { setImmediate } from 'node:timers/promises';
import type { CancelSignal } from '../../../lib/cancel.ts';
import { onceLoaded } from '../../../lib/once-loaded.ts';
import { toBibtex } from './bibtex.ts';
import { type CitedSource, type CslItem, toCslItem } from './csl-item.ts';
import { escapeMarkup, forStyle, restoreMarkup, toOneLine } from './style-item.ts';
import { APA } from './styles/apa.ts';
import { CHICAGO } from './styles/chicago.ts';
import { MLA } from './styles/mla.ts';

/** What a bibliography can be written in. */
export const BIBLIOGRAPHY_FORMATS = ['apa', 'mla', 'chicago', 'bibtex', 'csl-json'] as const;

/** One of them. */
export type BibliographyFormat = (typeof BIBLIOGRAPHY_FORMATS)[number];

/** One source of a bibliography, written out. */
export interface BibliographyEntry {
  readonly source_id: number;
  readonly text: string;
}

/** A source, and the APA citation its keeper wrote for it, if any. */
export interface ListedSource extends CitedSource {
  readonly own_citation: string | null;
}

/** Writes citations. */
export interface Citations {
  /** The APA reference of one source. */
  cite(source: CitedSource): Promise<string>;
  /** Every source once, in the order the format asks for. */
  list(
    sources: readonly ListedSource[],
    format: BibliographyFormat,
    signal?: CancelSignal,
  ): Promise<readonly BibliographyEntry[]>;
}

type Style = 'apa' | 'mla' | 'chicago';
type Render = (items: readonly CslItem[], style: Style) => [id: string, text: string][];

/** About 40 ms of work: between two of these everybody else gets a turn. */
const BATCH = 25;
/** However many works one author has, a batch ends here. */
const LARGEST_BATCH = 100;

/** Makes the writer; the citation library is loaded when the first reference is written. */
export function createCitations(): Citations {
  const render = onceLoaded(loadRender);
  return {
    async cite(source) {
      const [entry] = writeStyle([toCleanItem(source)], 'apa', await render());
      return entry?.text ?? toOneLine(source.title);
    },
    async list(sources, format, signal) {
      if (format === 'bibtex' || format === 'csl-json') return writeData(sources, format);
      const own = format === 'apa' ? sources.filter((source) => source.own_citation !== null) : [];
      const rest = sources.filter((source) => !own.includes(source));
      const entries: BibliographyEntry[] = [];
      for (const batch of toBatches(rest)) {
        entries.push(...writeStyle(batch, format, await render()));
        await setImmediate();
        signal?.throwIfAborted();
      }
      return insertOwn(entries, own);
    },
  };
}

/** A whole bibliography as one text. */
export function toBibliographyText(
  entries: readonly BibliographyEntry[],
  format: BibliographyFormat,
): string {
  const texts = entries.map((entry) => entry.text);
  return format === 'csl-json' ? `[\n${texts.join(',\n')}\n]` : texts.join('\n\n');
}

async function loadRender(): Promise<Render> {
  const { plugins } = await import('@citation-js/core');
  await import('@citation-js/plugin-csl');
  const { styles } = plugins.config.get('@csl');
  const template = (style: Style) => `thimble-${style}`;
  styles.add(template('apa'), APA);
  styles.add(template('mla'), MLA);
  styles.add(template('chicago'), CHICAGO);
  return (items, style) =>
    plugins.output.format('bibliography', items, {
      template: template(style),
      lang: 'en-US',
      format: 'text',
      asEntryArray: true,
    });
}

function writeStyle(items: readonly CslItem[], style: Style, render: Render): readonly BibliographyEntry[] {
  const fitted = items.map((item) => escapeMarkup(forStyle(item, style)));
  return render(fitted, style).map(([id, text]) => ({
    source_id: Number(id.slice('source-'.length)),
    text: restoreMarkup(text).trim(),
  }));
}

function writeData(
  sources: readonly CitedSource[],
  format: 'bibtex' | 'csl-json',
): readonly BibliographyEntry[] {
  return sources
    .map((source) => ({ source, item: format === 'bibtex' ? toCleanItem(source) : toCslItem(source) }))
    .sort((a, b) => collator.compare(toLead(a.item), toLead(b.item)) || a.source.id - b.source.id)
    .map(({ source, item }) => ({
      source_id: source.id,
      text: format === 'bibtex' ? toBibtex(item) : JSON.stringify(item, null, 2),
    }));
}

const collator = new Intl.Collator('en');

/** What an entry is filed under: the first author, else the title. */
function toLead(item: CslItem): string {
  const [first] = item.author ?? [];
  if (first === undefined) return item.title;
  return 'literal' in first ? first.literal : `${first.family}, ${first.given ?? ''}`;
}

/** Works of one author stay together, since styles tell them apart by what stands beside them. */
function toBatches(sources: readonly CitedSource[]): readonly (readonly CslItem[])[] {
  const filed = sources
    .map((source) => toCleanItem(source))
    .map((item) => ({ item, lead: toLead(item) }))
    .sort((a, b) => collator.compare(a.lead, b.lead));
  const batches: CslItem[][] = [];
  let last = '';
  for (const { item, lead } of filed) {
    const batch = batches.at(-1);
    const full = batch !== undefined && batch.length >= (lead === last ? LARGEST_BATCH : BATCH);
    if (batch === undefined || full) batches.push([item]);
    else batch.push(item);
    last = lead;
  }
  return batches;
}

function insertOwn(
  entries: readonly BibliographyEntry[],
  own: readonly ListedSource[],
): readonly BibliographyEntry[] {
  const waiting = own
    .map((source) => ({ source_id: source.id, text: toOneLine(source.own_citation ?? '') }))
    .sort((a, b) => collator.compare(a.text, b.text));
  const all: BibliographyEntry[] = [];
  for (const entry of entries) {
    while (waiting[0] && collator.compare(waiting[0].text, entry.text) < 0) all.push(...waiting.splice(0, 1));
    all.push(entry);
  }
  return [...all, ...waiting];
}

/** The item with every text on one line: a reference is a line, whatever its parts were. */
function toCleanItem(source: CitedSource): CslItem {
  const clean = (text: string | null) => (text === null ? null : toOneLine(text) || null);
  return toCslItem({
    ...source,
    title: toOneLine(source.title) || 'Untitled',
    authors: clean(source.authors),
    publisher: clean(source.publisher),
  });
}
