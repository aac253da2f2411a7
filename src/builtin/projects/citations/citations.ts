/** Citations and bibliographies of sources, in every format we offer. */
import { setImmediate } from 'node:timers/promises';
import type { CancelSignal } from '../../../lib/cancel.ts';
import { onceLoaded } from '../../../lib/once-loaded.ts';
import { toBibtex } from './bibtex.ts';
import { type CitedSource, type CslItem, toCslItem } from './csl-item.ts';
import { type Batch, type BibliographyEntry, compareFiled, insertOwn, toBatches, toLead } from './filing.ts';
import { escapeMarkup, forStyle, restoreMarkup, toOneLine } from './style-item.ts';
import { APA } from './styles/apa.ts';
import { CHICAGO } from './styles/chicago.ts';
import { MLA } from './styles/mla.ts';
import type { Style } from './styles/style.ts';

/** What a bibliography can be written in. */
export const BIBLIOGRAPHY_FORMATS = ['apa', 'mla', 'chicago', 'bibtex', 'csl-json'] as const;

/** One of them. */
export type BibliographyFormat = (typeof BIBLIOGRAPHY_FORMATS)[number];

/** A source, and the APA citation its keeper wrote for it, if any. */
export interface BibliographySource extends CitedSource {
  readonly own_citation: string | null;
}

/** Which part of a bibliography to write, all of it unless told otherwise, and who may end it. */
export interface ListOptions {
  readonly offset?: number;
  readonly limit?: number;
  readonly signal?: CancelSignal;
}

/** Writes citations. */
export interface Citations {
  /** The APA reference of one source. */
  cite(source: CitedSource): Promise<string>;
  /** Every source once, in the order the format asks for; a part of them reads as it does in the whole. */
  list(
    sources: readonly BibliographySource[],
    format: BibliographyFormat,
    options?: ListOptions,
  ): Promise<readonly BibliographyEntry[]>;
}

type Render = (items: readonly CslItem[], style: Style) => [id: string, text: string][];

/** Makes the writer; the citation library is loaded when the first reference is written. */
export function createCitations(): Citations {
  const render = onceLoaded(loadRender);
  return {
    async cite(source) {
      const [entry] = writeStyle([toCleanItem(source)], 'apa', await render());
      return entry?.text ?? toOneLine(source.title);
    },
    async list(sources, format, { offset = 0, limit = sources.length, signal } = {}) {
      const end = offset + limit;
      if (format === 'bibtex' || format === 'csl-json') return writeData(sources, format, offset, end);
      const entries: BibliographyEntry[] = [];
      let start = 0;
      for (const batch of toFiled(sources, format)) {
        const begun = start;
        start += batch.items.length + batch.own.length;
        if (start <= offset || begun >= end) continue;
        const written = insertOwn(writeStyle(batch.items, format, await render()), batch.own);
        entries.push(...written.slice(Math.max(0, offset - begun), end - begun));
        // Between two batches everybody else gets a turn.
        await setImmediate();
        signal?.throwIfAborted();
      }
      return entries;
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

function toFiled(sources: readonly BibliographySource[], style: Style): readonly Batch[] {
  const own = style === 'apa' ? sources.filter((source) => source.own_citation !== null) : [];
  const written = new Set(own);
  return toBatches(
    sources.filter((source) => !written.has(source)).map(toCleanItem),
    own.map((source) => ({ source_id: source.id, text: toOneLine(source.own_citation ?? '') })),
    style,
  );
}

function writeStyle(items: readonly CslItem[], style: Style, render: Render): readonly BibliographyEntry[] {
  if (items.length === 0) return [];
  const fitted = items.map((item) => escapeMarkup(forStyle(item, style)));
  return render(fitted, style).map(([id, text]) => ({
    source_id: Number(id.slice('source-'.length)),
    text: restoreMarkup(text).trim(),
  }));
}

function writeData(
  sources: readonly CitedSource[],
  format: 'bibtex' | 'csl-json',
  offset: number,
  end: number,
): readonly BibliographyEntry[] {
  return sources
    .map((source) => ({ source, item: format === 'bibtex' ? toCleanItem(source) : toCslItem(source) }))
    .sort((a, b) => compareFiled(toLead(a.item), toLead(b.item)) || a.source.id - b.source.id)
    .slice(offset, end)
    .map(({ source, item }) => ({
      source_id: source.id,
      text: format === 'bibtex' ? toBibtex(item) : JSON.stringify(item, null, 2),
    }));
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
