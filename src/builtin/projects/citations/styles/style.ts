/** What the citation styles have in common: the frame of a CSL style, and the pieces that several of them use. */

/** A citation style. */
export type Style = 'apa' | 'mla' | 'chicago';

/** What one style says for itself, in CSL. */
export interface StyleParts {
  /** The name of the manual. */
  readonly name: string;
  /** Attributes of the style as a whole. */
  readonly attributes: string;
  /** Words and macros, in any order. */
  readonly macros: readonly string[];
  readonly citation: string;
  readonly bibliography: string;
}

/** Whom or what an entry opens with: its authors, else the work; needs the macros `people` and `work`. */
export const LEAD = `<macro name="lead">
    <choose>
      <if variable="author"><text macro="people"/></if>
      <else><text macro="work"/></else>
    </choose>
  </macro>`;

/** Where the source can be read: the DOI, else the address. */
export const LINK = `<macro name="link">
    <choose>
      <if variable="DOI"><text variable="DOI" prefix="https://doi.org/"/></if>
      <else><text variable="URL"/></else>
    </choose>
  </macro>`;

/**
 * By what works are told apart that one author issued in one year; needs the macros `lead` and `when`. The word that
 * opens it keeps authors called "constructor" from becoming keys of the processor.
 */
export const CITED = `<citation disambiguate-add-year-suffix="true">
    <layout><text value="cited "/><text macro="lead"/><text macro="when"/></layout>
  </citation>`;

/** The order of a list of references; needs the macro `lead`. */
export const BY_LEAD = `<sort>
      <key macro="lead"/>
      <key variable="issued"/>
      <key variable="title"/>
    </sort>`;

/** A date as May 3, 2020. */
export function longDate(variable: string, attributes = ''): string {
  return `<date variable="${variable}" ${attributes}>
    <date-part name="month"/>
    <date-part name="day" prefix=" "/>
    <date-part name="year" prefix=", "/>
  </date>`;
}

/** The style; small on purpose: the general one for APA takes 97 MB and most of a second to load. */
export function toStyle({ name, attributes, macros, citation, bibliography }: StyleParts): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0" ${attributes}>
  <info>
    <title>Thimble, after ${name}</title>
    <id>thimble-${name.toLowerCase()}</id>
    <updated>2026-01-01T00:00:00+00:00</updated>
  </info>
  ${macros.join('\n  ')}
  ${citation}
  ${bibliography}
</style>`;
}
