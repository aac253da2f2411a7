/** A result as the ledger sees it: how long its text is, and a bounded part of it to count tokens in. */
import { isJsonObject, type JsonObject } from '../model/json.ts';

/** Length and sample of a text. */
export interface Sample {
  readonly chars: number;
  readonly text: string;
}

const SAMPLE_LIMIT = 4_000;

/** Takes the text a model would read; looks at lengths only beyond the sample, so that size costs nothing. */
export function toSample(result: JsonObject): Sample {
  const content = Array.isArray(result['content']) ? result['content'] : [];
  let chars = 0;
  let text = '';
  for (const part of content) {
    const words = isJsonObject(part) ? textOf(part) : '';
    chars += words.length;
    if (text.length < SAMPLE_LIMIT) text += copyStart(words, SAMPLE_LIMIT - text.length);
  }
  return { chars, text };
}

/** A slice alone would keep the whole text in memory until it is counted. */
function copyStart(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();
}

function textOf(part: JsonObject): string {
  const { resource } = part;
  const text = part['text'] ?? (isJsonObject(resource) ? resource['text'] : undefined);
  return typeof text === 'string' ? text : '';
}
