/** Remembers, for each principal, which words led to which tool, and says what that speaks for next time. */

/** Something learned: these words, then a successful call of this tool. */
export interface Observation {
  readonly terms: readonly string[];
  readonly key: string;
  /** When it last happened, in milliseconds since 1970. */
  readonly at: number;
}

/** Everything remembered, as it is stored. */
export type LearningRecord = Readonly<Record<string, readonly Observation[]>>;

/** A memory of queries and the calls they led to; bounded, and fading with time. */
export interface Learning {
  /** Remembers that a principal's query led to a successful call. */
  observe(principal: string, terms: readonly string[], key: string, at: number): void;
  /** What earlier queries speak for, by key, from nearly 0 to 1 for the same words again. */
  boost(principal: string, terms: readonly string[]): ReadonlyMap<string, number>;
  /** Forgets one principal, or everybody. */
  clear(principal?: string): void;
  /** Forgets the tools that are gone, whoever used them. */
  forget(isGone: (key: string) => boolean): void;
  toJSON(): LearningRecord;
}

/** What bounds a memory. */
export interface LearningRules {
  /** The time of day, in milliseconds since 1970. */
  now(): number;
  /** What was learned counts half after this long. */
  readonly halfLifeMs?: number;
  /** Observations kept per principal; the oldest go first. */
  readonly maxPerPrincipal?: number;
  /** Principals remembered; whoever was quiet longest goes first. */
  readonly maxPrincipals?: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_HALF_LIFE_MS = 30 * DAY_MS;
const DEFAULT_PER_PRINCIPAL = 2_000;
const DEFAULT_PRINCIPALS = 1_000;
const MAX_TERMS = 48;
/** Fainter than this is forgotten. */
const FAINTEST = 1 / 16;
/** Likeness of two queries counts to this power: half the words in common is far less than half as telling. */
const SHARPNESS = 1.5;
/** What a query like an earlier one counts, beside where its single words have led. */
const LIKENESS_SHARE = 0.6;
/** How many times a word must have led somewhere before its lead counts half. */
const CAUTION = 2;

/** Creates a memory, empty or from what was stored. */
export function createLearning(rules: LearningRules, stored: LearningRecord = {}): Learning {
  const halfLifeMs = rules.halfLifeMs ?? DEFAULT_HALF_LIFE_MS;
  const maxPrincipals = rules.maxPrincipals ?? DEFAULT_PRINCIPALS;
  const maxPerPrincipal = rules.maxPerPrincipal ?? DEFAULT_PER_PRINCIPAL;
  // Insertion order doubles as the order of last use.
  const memories = new Map<string, Memory>();
  const strengthAt = (at: number) => 0.5 ** (Math.max(0, rules.now() - at) / halfLifeMs);

  function observe(principal: string, terms: readonly string[], key: string, at: number): void {
    if (terms.length === 0 || strengthAt(at) < FAINTEST) return;
    const memory = memories.get(principal) ?? new Memory(maxPerPrincipal);
    memories.delete(principal);
    memories.set(principal, memory);
    memory.add({ terms: [...new Set(terms)].sort().slice(0, MAX_TERMS), key, at });
    for (const longest of memories.keys()) {
      if (memories.size <= maxPrincipals) break;
      memories.delete(longest);
    }
  }

  for (const [principal, observations] of Object.entries(stored))
    for (const { terms, key, at } of observations) observe(principal, terms, key, at);

  return {
    observe,
    boost: (principal, terms) => memories.get(principal)?.recall(terms, strengthAt) ?? new Map(),
    clear(principal) {
      if (principal === undefined) memories.clear();
      else memories.delete(principal);
    },
    forget(isGone) {
      for (const memory of memories.values()) memory.forget(isGone);
    },
    toJSON: () =>
      Object.fromEntries(
        [...memories].map(([principal, memory]) => [
          principal,
          memory.observations.filter(({ at }) => strengthAt(at) >= FAINTEST),
        ]),
      ),
  };
}

/** Where one word has led. */
interface Lead {
  readonly observations: Set<Observation>;
  readonly keyCounts: Map<string, number>;
}

/** One principal's observations, oldest first, with the words that lead to them. */
class Memory {
  readonly #room: number;
  readonly #byIdentity = new Map<string, Observation>();
  readonly #byTerm = new Map<string, Lead>();
  readonly #keyCounts = new Map<string, number>();
  /** What terms and observations tell, worked out when asked for and void after a change. */
  readonly #tellings = new Map<string, number>();
  readonly #sizes = new Map<Observation, number>();

  constructor(room: number) {
    this.#room = room;
  }

  get observations(): Observation[] {
    return [...this.#byIdentity.values()];
  }

  add(observation: Observation): void {
    const identity = toIdentity(observation);
    this.#forget(identity);
    this.#tellings.clear();
    this.#sizes.clear();
    this.#byIdentity.set(identity, observation);
    addCount(this.#keyCounts, observation.key, 1);
    for (const term of observation.terms) {
      const lead = this.#byTerm.get(term) ?? { observations: new Set(), keyCounts: new Map() };
      this.#byTerm.set(term, lead);
      lead.observations.add(observation);
      addCount(lead.keyCounts, observation.key, 1);
    }
    for (const oldest of this.#byIdentity.keys()) {
      if (this.#byIdentity.size <= this.#room) break;
      this.#forget(oldest);
    }
  }

  forget(isGone: (key: string) => boolean): void {
    for (const [identity, { key }] of this.#byIdentity) if (isGone(key)) this.#forget(identity);
    this.#tellings.clear();
    this.#sizes.clear();
  }

  /** What these terms speak for: by earlier queries like them, and by where each word alone has led. */
  recall(terms: readonly string[], strengthAt: (at: number) => number): Map<string, number> {
    const asked = [...new Set(terms.slice(0, MAX_TERMS))];
    const shared = new Map<Observation, number>();
    const votes = new Map<string, number>();
    const strengthOf = remember((observation: Observation) => strengthAt(observation.at));
    const total = asked.reduce((sum, term) => sum + this.#tells(term), 0);
    for (const term of asked) {
      const observations = this.#byTerm.get(term)?.observations;
      if (!observations) continue;
      const tells = this.#tells(term);
      let all = CAUTION;
      for (const observation of observations) all += strengthOf(observation);
      for (const observation of observations) {
        const vote = (tells * strengthOf(observation)) / (all * total);
        votes.set(observation.key, (votes.get(observation.key) ?? 0) + vote);
        shared.set(observation, (shared.get(observation) ?? 0) + tells ** 2);
      }
    }
    return this.#judge(this.#likenesses(asked, shared, strengthOf), votes);
  }

  /** For each tool, how surely one of its earlier queries is this one again. */
  #likenesses(
    asked: readonly string[],
    shared: ReadonlyMap<Observation, number>,
    strengthOf: (observation: Observation) => number,
  ): Map<string, number> {
    const own = this.#toSize(asked);
    const sure = new Map<string, number>();
    for (const [observation, weight] of shared) {
      const strength = strengthOf(observation);
      if (strength < FAINTEST) continue;
      const alike = Math.min(1, weight / Math.sqrt(own * this.#sizeOf(observation)));
      const before = sure.get(observation.key) ?? 0;
      sure.set(observation.key, 1 - (1 - before) * (1 - alike ** SHARPNESS * strength));
    }
    return sure;
  }

  /** Evidence that speaks for many tools at once speaks for none of them strongly. */
  #judge(sure: ReadonlyMap<string, number>, votes: ReadonlyMap<string, number>): Map<string, number> {
    let all = 0;
    for (const value of sure.values()) all += value;
    const boosts = new Map<string, number>();
    for (const [key, value] of sure) {
      const boost = LIKENESS_SHARE * value * Math.sqrt(value / all) + (votes.get(key) ?? 0);
      boosts.set(key, Math.min(1, boost));
    }
    return boosts;
  }

  #sizeOf(observation: Observation): number {
    let size = this.#sizes.get(observation);
    if (size === undefined) {
      size = this.#toSize(observation.terms);
      this.#sizes.set(observation, size);
    }
    return size;
  }

  #toSize(terms: readonly string[]): number {
    return terms.reduce((sum, term) => sum + this.#tells(term) ** 2, 0);
  }

  /** How much a term tells: few tools were ever reached by it. */
  #tells(term: string): number {
    const known = this.#tellings.get(term);
    if (known !== undefined) return known;
    const reached = this.#byTerm.get(term)?.keyCounts.size ?? 0;
    const tells = Math.log(1 + this.#keyCounts.size / (1 + reached));
    this.#tellings.set(term, tells);
    return tells;
  }

  #forget(identity: string): void {
    const observation = this.#byIdentity.get(identity);
    if (!observation) return;
    this.#byIdentity.delete(identity);
    addCount(this.#keyCounts, observation.key, -1);
    for (const term of observation.terms) {
      const lead = this.#byTerm.get(term);
      if (!lead) continue;
      lead.observations.delete(observation);
      addCount(lead.keyCounts, observation.key, -1);
      if (lead.observations.size === 0) this.#byTerm.delete(term);
    }
  }
}

function addCount(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** Works a value out once per observation. */
function remember(work: (observation: Observation) => number): (observation: Observation) => number {
  const known = new Map<Observation, number>();
  return (observation) => {
    let value = known.get(observation);
    if (value === undefined) {
      value = work(observation);
      known.set(observation, value);
    }
    return value;
  };
}

function toIdentity({ key, terms }: Observation): string {
  return JSON.stringify([key, ...terms]);
}
