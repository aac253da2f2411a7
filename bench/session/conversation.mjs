// What a conversation with a model costs: every turn sends tools, system text and all that was said so far, once more.
import { toTokens } from '../tokens/parts.mjs';

/** Tokens of whatever else stands between tools and talk; the same in every mode. */
export const SYSTEM_TOKENS = 2_000;
/** What a token costs that was sent before, by the one that was not. */
export const CACHED_PRICE = 0.1;

/** Opens a conversation that shows some tools. */
export function openConversation(tools) {
  let shown = tools.map(toPiece);
  let said = 0;
  let before = { shown: [], total: 0 };
  const definitions = sumOf(shown);
  const bill = { definitions, turns: 0, input: 0, cachedInput: 0, output: 0, largest: 0, rewritten: 0 };

  function send(output) {
    const total = sumOf(shown) + SYSTEM_TOKENS + said;
    const cached = isSame(shown, before.shown) ? before.total : sumOf(commonBeginning(shown, before.shown));
    if (bill.turns > 0) bill.rewritten += before.total - cached;
    bill.turns += 1;
    bill.input += total;
    bill.cachedInput += total - cached + cached * CACHED_PRICE;
    bill.output += output;
    bill.largest = Math.max(bill.largest, total);
    before = { shown, total };
    said += output;
  }

  return {
    bill,
    /** Something the model is told: a task, or the answer of a tool. */
    hear(text) {
      said += toTokens(text);
    },
    /** The model is asked and writes this. */
    speak: (text) => send(toTokens(text)),
    /** The client lists anew; whatever comes after the first difference has to be read again. */
    list(next) {
      shown = next.map(toPiece);
    },
  };
}

function toPiece(tool) {
  const text = JSON.stringify(tool);
  return { text, tokens: toTokens(text) };
}

function sumOf(pieces) {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

function isSame(a, b) {
  return a === b || (a.length === b.length && commonBeginning(a, b).length === a.length);
}

function commonBeginning(a, b) {
  const end = a.findIndex(({ text }, at) => text !== b[at]?.text);
  return end === -1 ? a : a.slice(0, end);
}
