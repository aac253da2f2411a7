/** Keeps the best of many without sorting them all. */

/** The best `room` numbers offered, by score; of equals the lower number stays. */
export class Top {
  readonly #room: number;
  readonly #items: number[] = [];
  readonly #scores: number[] = [];

  constructor(room: number) {
    this.#room = room;
  }

  /** True when an offer would be kept; lets a caller skip costly checks. */
  wants(score: number, item: number): boolean {
    return this.#items.length < this.#room || this.#isWorse(0, score, item);
  }

  offer(score: number, item: number): void {
    if (this.#items.length < this.#room) {
      this.#items.push(item);
      this.#scores.push(score);
      this.#rise(this.#items.length - 1);
    } else if (this.#isWorse(0, score, item)) {
      this.#items[0] = item;
      this.#scores[0] = score;
      this.#sink();
    }
  }

  /** The kept numbers, in rising order. */
  toSorted(): number[] {
    return [...this.#items].sort((a, b) => a - b);
  }

  #isWorse(at: number, score: number, item: number): boolean {
    const here = this.#scores[at] ?? 0;
    return here < score || (here === score && (this.#items[at] ?? 0) > item);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#isWorse(parent, this.#scores[at] ?? 0, this.#items[at] ?? 0)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child >= this.#items.length) continue;
        if (this.#isWorse(child, this.#scores[worst] ?? 0, this.#items[worst] ?? 0)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a] ?? 0;
    const score = this.#scores[a] ?? 0;
    this.#items[a] = this.#items[b] ?? 0;
    this.#scores[a] = this.#scores[b] ?? 0;
    this.#items[b] = item;
    this.#scores[b] = score;
  }
}
