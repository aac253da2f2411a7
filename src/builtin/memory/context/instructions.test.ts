import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { createMemoryStore } from '../../../store/memory-store.ts';
import { openTestClient } from '../../test-client.contract.ts';
import { createMemoryServer } from '../server.ts';
import { MEMORY_TOOLS } from '../tools.ts';
import {
  createInstructionSource,
  FALLBACK_INSTRUCTIONS,
  MAX_INSTRUCTIONS,
  toInstructions,
} from './instructions.ts';
import { PROTECTED_SECTIONS } from './seeds.ts';
import { byteLength, clip, toSentences } from './sentences.ts';

const SEEDED = PROTECTED_SECTIONS.map(({ key, toContent }) => ({ key, content: toContent('thimble') }));
const asIs = (tool: string) => tool;
const memoryOnly = (tool: string) => (MEMORY_TOOLS.some(({ name }) => name === tool) ? tool : undefined);

describe('toInstructions', () => {
  it('fits into a kilobyte, and says something of every section it is made of', () => {
    for (const mention of [asIs, memoryOnly]) {
      const text = toInstructions(SEEDED, mention);
      expect(byteLength(text)).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
      expect(byteLength(text)).toBeGreaterThan(700);
      for (const part of [
        'memory outlives',
        'recall_by_context',
        'store_memory',
        '[thimble: stored',
        'Facts about',
      ])
        expect(text).toContain(part);
    }
  });

  it('carries what the person wrote, in every one of the sections', () => {
    const keys = ['identity', 'session_protocol', 'memory_protocol', 'transparency_rules', 'capabilities'];
    for (const key of keys) {
      const changed = SEEDED.map((section) =>
        section.key === key ? { key, content: 'Mine. All mine.' } : section,
      );
      expect(toInstructions(changed, asIs)).toContain('Mine. All mine.');
    }
    expect(toInstructions([{ key: 'own', content: 'Mine.' }], asIs)).toBe('');
  });

  it('names each tool as it is called there, and drops sentences with one that is not there', () => {
    const sections = [
      {
        key: 'identity',
        content: 'Use `store_memory` well. Never `add_source`. Keep `plain` and `npm test` as they are.',
      },
    ];
    const mention = (tool: string) => (tool === 'store_memory' ? `thimble_memory ${tool}` : undefined);
    expect(toInstructions(sections, mention)).toBe(
      'Use `thimble_memory store_memory` well. Keep `plain` and `npm test` as they are.',
    );
  });

  it('ends with a sentence, however long the sections are', () => {
    const sections = SEEDED.map(({ key }) => ({ key, content: 'This sentence is repeated. '.repeat(500) }));
    const text = toInstructions(sections, asIs);
    expect(byteLength(text)).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
    for (const line of text.split('\n')) expect(line).toMatch(/^(This sentence is repeated\. ?)+$/);
  });

  it('never exceeds its bytes, whatever is stored', () => {
    const content = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3_000 }),
      fc.lorem({ maxCount: 60, mode: 'sentences' }),
    );
    const sections = fc.tuple(...SEEDED.map(({ key }) => content.map((text) => ({ key, content: text }))));
    fc.assert(
      fc.property(sections, (stored) => {
        const text = toInstructions(stored, asIs);
        expect(byteLength(text)).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
        expect(toInstructions(stored, asIs)).toBe(text);
      }),
    );
  });
});

describe('createInstructionSource', () => {
  it('follows every change at once, and devices and principals apart', async () => {
    const store = createMemoryStore();
    const phone = createInstructionSource({ store, device: 'phone' });
    const plain = createInstructionSource({ store });
    const other = createInstructionSource({ store, principal: 'other' });
    const before = await plain.text(asIs);
    expect(before).toBe(toInstructions(SEEDED, asIs));
    const client = await openTestClient(createMemoryServer({ store }));
    await client.call('update_context_section', { section_key: 'identity', content: 'You are Bert.' });
    const override = {
      section_key: 'identity',
      section_title: 'x',
      content: 'You are tiny.',
      device_id: 'phone',
    };
    await client.call('add_context_section', override);
    expect(await plain.text(asIs)).toContain('You are Bert.');
    expect(await phone.text(asIs)).toContain('You are tiny.');
    expect(await other.text(asIs)).toBe(before);
  });

  it('leaves out what is switched off', async () => {
    const store = createMemoryStore();
    const client = await openTestClient(createMemoryServer({ store }));
    await client.call('update_context_section', { section_key: 'identity', enabled: false });
    expect(await createInstructionSource({ store }).text(asIs)).not.toContain('memory outlives');
  });

  it('falls back to a fixed text when the store cannot be used, with the same rule for tools', async () => {
    const broken = { tables: () => Promise.reject(new GatewayError('STORE_CORRUPT', 'damaged')) };
    const source = createInstructionSource({ store: broken });
    expect(await source.text(asIs)).toBe(FALLBACK_INSTRUCTIONS);
    expect(byteLength(FALLBACK_INSTRUCTIONS)).toBeLessThanOrEqual(500);
    expect(await source.text(() => undefined)).not.toContain('`');
  });
});

describe('toSentences', () => {
  it('cuts at the ends of sentences and lines, and drops the marks of Markdown', () => {
    expect(toSentences('# Title\n\n- One. Two, e.g. this one!\n2) Three?\n你好。再见。')).toEqual([
      'Title',
      'One.',
      'Two, e.g. this one!',
      'Three?',
      '你好。',
      '再见。',
    ]);
  });
});

describe('clip', () => {
  it('keeps whole words and whole characters, within the bytes', () => {
    expect(clip('one two three', 10)).toBe('one…');
    expect(clip('一二三四', 10)).toBe('一二…');
    expect(clip('short', 10)).toBe('short');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, bytes) => {
        expect(byteLength(clip(text, bytes))).toBeLessThanOrEqual(bytes);
      }),
    );
  });
});
