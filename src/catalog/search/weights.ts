/** The numbers of the ranking, found by measuring on every data set at once (see bench/search). */

/** How strongly each part of the ranking counts. */
export interface RankingWeights {
  /** By field: name, server, parameters, first sentence, rest of the description, texts of parameters. */
  readonly fields: readonly number[];
  /** How much a field's length beyond the mean takes from its counts, by field. */
  readonly lengthShare: readonly number[];
  /** BM25's k1: how soon further mentions stop adding. */
  readonly saturation: number;
  /** A word of the query that comes n times counts n to this power. */
  readonly repetition: number;
  /** What a word that stands nowhere counts in the total, as a share of the rarest. */
  readonly unknown: number;
  readonly synonym: number;
  readonly typo: number;
  readonly coverage: number;
  /** The best sentence or clause, measured by the whole query. */
  readonly clause: number;
  /** The best sentence or clause, measured by its own words. */
  readonly clauseFill: number;
  readonly nameMatch: number;
  readonly server: number;
  /** Likeness of meaning to the whole query. */
  readonly meaning: number;
  /** Likeness of meaning to the best sentence or clause. */
  readonly clauseMeaning: number;
  readonly learned: number;
  /** By field, what a word adds to the meaning of a document. */
  readonly meaningFields: readonly number[];
  /** How far the catalogue's own use of a word bends its meaning. */
  readonly adaptation: number;
  /** How far the catalogue's use gives a meaning to a word that has none. */
  readonly invention: number;
  /** How much a word already served by a better hit is worth less to the next ones, in queries of many words. */
  readonly spread: number;
  /** How completely a hit serves the words it matches best. */
  readonly service: number;
  /** How many words make a query one of many words. */
  readonly spreadFrom: number;
}

/** The weights in use. */
export const DEFAULT_WEIGHTS: RankingWeights = {
  fields: [4, 2.1, 2.3, 1.1, 0.5, 0.55],
  lengthShare: [0.9, 0.97, 0.84, 0.6, 0.84, 0.6],
  saturation: 1.7,
  repetition: 0.5,
  unknown: 0.2,
  synonym: 0.7,
  typo: 0.6,
  coverage: 0.1,
  clause: 0.28,
  clauseFill: 0.035,
  nameMatch: 0.05,
  server: 0.06,
  meaning: 0.03,
  clauseMeaning: 0.2,
  learned: 2,
  meaningFields: [2, 2, 0.35, 1, 0.7, 0.2],
  adaptation: 0.35,
  invention: 0.6,
  spread: 0.8,
  service: 0.8,
  spreadFrom: 8,
};
