import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/json.ts';
import { toBytes } from './long-text.ts';
import type { Message } from './message.ts';

const answer = (result: JsonObject): Message => ({ jsonrpc: '2.0', id: 1, result });
const long = (text: string) => text.repeat(Math.ceil(300_000 / text.length));
const whole = (message: Message) => toBytes(message)?.toString();

describe('a long answer as bytes', () => {
  it('is the same text as any other way, whatever it is made of', () => {
    const unit = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.string({ minLength: 1, unit: 'binary' }),
    );
    fc.assert(
      fc.property(unit, fc.jsonValue(), (text, other) => {
        const message = answer({
          content: [
            { type: 'text', text: 'short' },
            { type: 'text', text: long(text) },
          ],
          structuredContent: { other, again: long(text), last: 'x' } as JsonObject,
        });
        expect(whole(message) === JSON.stringify(message)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('never cuts a character in two', () => {
    const message = answer({ content: [{ type: 'text', text: `a${'🙂'.repeat(200_000)}` }] });
    expect(toBytes(message)?.includes('\\ud')).toBe(false);
    expect(whole(message) === JSON.stringify(message)).toBe(true);
  });

  it('is made wherever results carry long texts, and in no other case', () => {
    const data = 'x'.repeat(300_000);
    for (const part of [{ text: data }, { data }, { blob: data }, { resource: { text: data } }])
      expect(whole(answer({ content: [part] }))).toBe(JSON.stringify(answer({ content: [part] })));
    expect(toBytes(answer({ contents: [{ blob: data }] }), 'a', 'b\n')?.toString()).toBe(
      `a${JSON.stringify(answer({ contents: [{ blob: data }] }))}b\n`,
    );
    expect(toBytes(answer({ content: [{ type: 'text', text: 'short' }] }))).toBeUndefined();
    expect(toBytes(answer({ content: ['odd', null, 1] }))).toBeUndefined();
    expect(toBytes({ jsonrpc: '2.0', method: 'x', params: { content: [{ text: data }] } })).toBeUndefined();
  });
});
