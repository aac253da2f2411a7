/** The contract of full text: what a part of the house may ask of whatever database lies beneath. */

/** A comparison that a row has to stand; `in` takes a list. */
export interface Condition {
  readonly column: string;
  readonly is: '=' | '>=' | '<=' | 'in';
  readonly value: string | number | null | readonly (string | number)[];
}

/** What is looked for, and among which rows. */
export interface FullTextQuery {
  /** The table whose rows are meant, as it was given when its full text was made. */
  readonly table: string;
  /** Anything a person or a model may write: words, sentences, or what only looks like a query. */
  readonly text: string;
  readonly limit: number;
  /** Told before the limit counts, so that rows of others never take a place. */
  readonly where?: readonly Condition[];
}

/** A row that fits. */
export interface Ranked {
  readonly id: number;
  /** Above zero; the more, the better it fits. */
  readonly score: number;
}

/** Finds rows by their words. */
export interface FullText {
  /**
   * The rows that hold any of the words, best first: rare words count more than frequent ones. Text without a
   * word finds nothing. Not for use inside a transaction: there is one connection, and the transaction has it.
   */
  rank(query: FullTextQuery): Promise<readonly Ranked[]>;
}
