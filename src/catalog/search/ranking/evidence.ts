/** Second look: for every candidate, what each word of the query gave, and what follows from it. */
import { MAX_COUNT } from '../lexical/fields.ts';
import type { LexicalIndex } from '../lexical/lexical-index.ts';
import { likeness, type Meaning } from '../semantic/meaning.ts';
import type { RankingWeights } from '../weights.ts';
import type { Question } from './question.ts';

/** Evidence for candidates, all as shares of what the query is worth. */
export interface Evidence {
  readonly candidates: readonly number[];
  /** What each word gave, by candidate and word. */
  readonly gains: Float32Array;
  readonly words: Float32Array;
  readonly coverage: Float32Array;
  readonly clause: Float32Array;
  readonly nameMatch: Float32Array;
  readonly server: Float32Array;
  readonly meaning: Float32Array;
}

/** What a second look needs. */
export interface EvidenceInput {
  readonly index: LexicalIndex;
  readonly question: Question;
  readonly meaning: Meaning | undefined;
  readonly weights: RankingWeights;
  readonly candidates: readonly number[];
}

/** Collects the evidence. */
export function collectEvidence(input: EvidenceInput): Evidence {
  const { candidates, question } = input;
  const evidence = {
    candidates,
    gains: new Float32Array(candidates.length * question.terms.length),
    words: new Float32Array(candidates.length),
    coverage: new Float32Array(candidates.length),
    clause: new Float32Array(candidates.length),
    nameMatch: new Float32Array(candidates.length),
    server: new Float32Array(candidates.length),
    meaning: new Float32Array(candidates.length),
  };
  readPostings(input, evidence);
  for (let at = 0; at < candidates.length; at++) {
    evidence.words[at] = sumGains(evidence, question, at);
    evidence.clause[at] = bestClause(input, evidence, at);
    evidence.meaning[at] = bestMeaning(input, candidates[at] ?? 0);
  }
  weighServers(input, evidence);
  return evidence;
}

function readPostings({ index, question, candidates, weights }: EvidenceInput, evidence: Evidence): void {
  const { starts, documents, impacts, rarity, counts } = index;
  const places = new Int16Array(index.sources.length).fill(-1);
  candidates.forEach((document, at) => {
    places[document] = at;
  });
  const { gains, coverage, nameMatch } = evidence;
  const width = question.terms.length;
  question.terms.forEach(({ repeat, worth, expansions }, word) => {
    const own = expansions[0];
    const cap = own?.exact ? (rarity[own.term] ?? 0) : Number.POSITIVE_INFINITY;
    for (const { term, factor, exact } of expansions) {
      const tells = Math.min(rarity[term] ?? 0, cap);
      const end = starts[term + 1] ?? 0;
      for (let at = starts[term] ?? 0; at < end; at++) {
        const document = documents[at] ?? 0;
        const place = places[document] ?? -1;
        if (place < 0) continue;
        const gain = (factor * repeat * tells * (impacts[at] ?? 0)) / question.total;
        if (gain > (gains[place * width + word] ?? 0)) gains[place * width + word] = gain;
        if (!exact) continue;
        coverage[place] = (coverage[place] ?? 0) + (weights.coverage * worth) / question.total;
        if ((counts[at] ?? 0) & MAX_COUNT) {
          const share = (weights.nameMatch * tells) / (index.nameRarity[document] || 1);
          nameMatch[place] = (nameMatch[place] ?? 0) + share;
        }
      }
    }
  });
}

function sumGains({ gains }: Evidence, { terms }: Question, at: number): number {
  let sum = 0;
  for (let word = 0; word < terms.length; word++) sum += gains[at * terms.length + word] ?? 0;
  return sum;
}

/** A tool that does one step of several should not lose to one that touches them all. */
function bestClause({ question, weights }: EvidenceInput, evidence: Evidence, at: number): number {
  const { gains, words } = evidence;
  const width = question.terms.length;
  if (question.segments.length === 0) return (weights.clause + weights.clauseFill) * (words[at] ?? 0);
  let best = 0;
  let fullest = 0;
  question.segments.forEach((segment, number) => {
    let sum = 0;
    for (const word of segment) sum += gains[at * width + word] ?? 0;
    const fill = (sum * question.total) / (question.segmentTotals[number] ?? 1);
    if (sum > best) best = sum;
    if (fill > fullest) fullest = fill;
  });
  return weights.clause * best + weights.clauseFill * fullest;
}

function bestMeaning({ question, meaning, weights }: EvidenceInput, document: number): number {
  if (!meaning || !question.vector) return 0;
  const whole = likeness(meaning, document, question.vector);
  let best = question.segments.length === 0 ? whole : 0;
  for (const vector of question.segmentVectors) {
    if (vector) best = Math.max(best, likeness(meaning, document, vector));
  }
  return weights.meaning * Math.max(0, whole) + weights.clauseMeaning * Math.max(0, best);
}

const BEST_OF_SERVER = 3;

/** A server with several fitting tools is more likely the one that is meant. */
function weighServers({ index, candidates, weights }: EvidenceInput, evidence: Evidence): void {
  const best = new Map<string, number[]>();
  let most = 1e-9;
  candidates.forEach((document, at) => {
    const server = index.sources[document]?.server.id ?? '';
    const words = evidence.words[at] ?? 0;
    most = Math.max(most, words);
    const sums = best.get(server) ?? [];
    sums.push(words);
    best.set(server, sums);
  });
  const priors = new Map<string, number>();
  for (const [server, sums] of best) {
    sums.sort((a, b) => b - a);
    const sum = sums.slice(0, BEST_OF_SERVER).reduce((total, words) => total + words, 0);
    priors.set(server, (weights.server * sum) / (BEST_OF_SERVER * most));
  }
  candidates.forEach((document, at) => {
    evidence.server[at] = priors.get(index.sources[document]?.server.id ?? '') ?? 0;
  });
}
