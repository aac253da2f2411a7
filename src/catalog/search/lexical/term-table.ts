/** Numbers for terms: given once, kept while the term is in use. */

/** The terms of an index and their numbers. */
export class TermTable {
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];

  get size(): number {
    return this.#terms.length;
  }

  add(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    this.#numbers.set(term, this.#terms.length);
    return this.#terms.push(term) - 1;
  }

  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  termAt(number: number): string {
    return this.#terms[number] ?? '';
  }
}
