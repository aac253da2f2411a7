/** Search mode over the tools of real servers: its price in tokens, and whether a signature is enough to call. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { createArgumentCheck } from '../../src/exposure/argument-check.ts';
import { openMode } from '../../src/exposure/exposure.contract.ts';
import { search } from '../../src/exposure/search/mode.ts';
import { toSignature } from '../../src/exposure/signature.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readCorpus, toOffers } from '../support/corpus.ts';
import { fromSignature } from '../support/from-signature.ts';

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

describe.each([10, 100, 1_000, 3_000])('with %i tools', (count) => {
  const { exposure, view } = openMode(search, toOffers(count));

  it('the surface is within 450 tokens and 250 for the names of servers', async () => {
    const whole = countTokens(JSON.stringify({ tools: await exposure.tools(view()) }));
    const bare = openMode(search, {});
    const fixed = countTokens(JSON.stringify({ tools: await bare.exposure.tools(bare.view()) }));
    console.info(`${count} tools: ${whole} tokens, ${fixed} of them fixed`);
    expect(fixed).toBeLessThanOrEqual(450);
    expect(whole - fixed).toBeLessThanOrEqual(250);
  });
});

describe('over the whole corpus', () => {
  const tools = [...readCorpus().values()].flat();
  const { exposure, view } = openMode(search, toOffers(tools.length));

  it('an answer with five hits is within 700 tokens at p95', async () => {
    const sizes: number[] = [];
    for (const [at, tool] of tools.entries()) {
      if (at % 3 !== 0) continue;
      const [sentence = ''] = String(tool['description'] ?? tool['name']).split(/(?<=[.!?])\s/);
      const params = {
        name: 'discover_mcp_tools',
        arguments: { query: sentence.slice(0, 400) || String(tool['name']) },
      };
      const result = await exposure.call('discover_mcp_tools', params, view());
      const text = (result['content'] as { text: string }[])[0]?.text ?? '';
      sizes.push(countTokens(text));
    }
    console.info(
      `discover: p50 ${quantile(sizes, 0.5)}, p95 ${quantile(sizes, 0.95)}, max ${Math.max(...sizes)} tokens`,
    );
    expect(quantile(sizes, 0.95)).toBeLessThanOrEqual(700);
  }, 900_000);

  it('the signature alone is enough for a valid call of at least nine tools in ten, and says so for the rest', async () => {
    const check = createArgumentCheck();
    let enough = 0;
    let misleading = 0;
    for (const entry of view().list('tool')) {
      const { text, complete } = toSignature(entry.definition);
      const faults = await check.check(entry, fromSignature(text, false) as JsonObject);
      if (faults.length === 0) enough += 1;
      else if (complete) misleading += 1;
    }
    const total = view().list('tool').length;
    console.info(`signatures: ${enough} of ${total} enough, ${misleading} wrongly called complete`);
    expect(enough / total).toBeGreaterThanOrEqual(0.9);
    expect(misleading / total).toBeLessThanOrEqual(0.01);
  }, 900_000);
});
