/** The little of citation-js that we call; the packages bring no types. */
declare module '@citation-js/core' {
  /** Formats and settings, as the plugins put them there. */
  export const plugins: {
    readonly config: { get(plugin: '@csl'): { readonly styles: { add(name: string, xml: string): void } } };
    readonly output: {
      format(
        name: 'bibliography',
        items: readonly object[],
        options: { template: string; lang: string; format: 'text'; asEntryArray: true },
      ): [id: string, text: string][];
    };
    readonly input: { chain(data: string, options: { generateGraph: false }): Record<string, unknown>[] };
  };
}

declare module '@citation-js/plugin-csl' {}

declare module '@citation-js/plugin-bibtex' {}
