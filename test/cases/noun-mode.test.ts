/** Noun mode over the tools of real servers: what it saves, that it never costs more, and that every tool stays callable. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/catalog/catalog.ts';
import { createArgumentCheck } from '../../src/exposure/argument-check.ts';
import { openMode } from '../../src/exposure/exposure.contract.ts';
import { noun } from '../../src/exposure/noun/mode.ts';
import { toSignature } from '../../src/exposure/signature.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Definition } from '../../src/model/mcp.ts';
import { readCorpus } from '../support/corpus.ts';
import { fromSignature } from '../support/from-signature.ts';

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const priceOf = (tools: readonly Definition[]) => countTokens(JSON.stringify({ tools }));

const corpus = readCorpus();
const open = (servers: Iterable<readonly [string, Definition[]]>) =>
  openMode(noun, Object.fromEntries([...servers].map(([id, tools]) => [id, { tools }])));

describe('the price', () => {
  it('is 30 % less at the median, 55 % less for one server in ten, and never more', async () => {
    const savings: number[] = [];
    for (const server of corpus) {
      const { exposure, view } = open([server]);
      const direct = priceOf(
        view()
          .list('tool')
          .map(({ definition }) => definition),
      );
      const shown = await exposure.tools(view());
      const price = priceOf(shown);
      expect(price, server[0]).toBeLessThanOrEqual(direct);
      if (server[1].length < 10) continue;
      savings.push(1 - price / direct);
      console.info(
        `${server[0]}: ${server[1].length} tools as ${shown.length}, ${direct} tokens as ${price}, ${percent(1 - price / direct)} less`,
      );
    }
    console.info(
      `${savings.length} servers: median ${percent(quantile(savings, 0.5))}, p90 ${percent(quantile(savings, 0.9))}, least ${percent(Math.min(...savings))}`,
    );
    expect(quantile(savings, 0.5)).toBeGreaterThanOrEqual(0.3);
    expect(quantile(savings, 0.9)).toBeGreaterThanOrEqual(0.55);
  }, 900_000);

  it('of all servers together is less than shown directly, in names that are plain and unique', async () => {
    const { exposure, view } = open(corpus);
    const entries = view().list('tool');
    const started = performance.now();
    const shown = await exposure.tools(view());
    const cold = performance.now() - started;
    let cached = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 10; round++) {
      const again = performance.now();
      expect(await exposure.tools(view())).toBe(shown);
      cached = Math.min(cached, performance.now() - again);
    }
    const direct = priceOf(entries.map(({ definition }) => definition));
    const price = priceOf(shown);
    console.info(
      `${entries.length} tools as ${shown.length}, ${direct} tokens as ${price}, ${percent(1 - price / direct)} less; ${cold.toFixed(0)} ms, again ${cached.toFixed(2)} ms`,
    );
    expect(price).toBeLessThan(direct);
    expect(cached).toBeLessThan(5);
    const names = shown.map(({ name }) => String(name));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
  }, 900_000);
});

describe('every tool', () => {
  const { exposure, view, upstreams } = open(corpus);
  const check = createArgumentCheck();
  const entries = view().list('tool');
  const lenient = openMode(noun, Object.fromEntries([...corpus].map(([id, tools]) => [id, { tools }])), {
    argumentCheck: { check: async () => [] },
  });
  const toArguments = ({ definition }: Entry) =>
    fromSignature(toSignature(definition, { soft: 1e6, hard: 1e6 }).text, false) as JsonObject;

  /** Calls, by the ports that check unless the arguments we can make are not valid. */
  async function reach(entry: Entry, name: string, args: JsonObject, expected: JsonObject, checked: boolean) {
    const target = checked ? { exposure, view, upstreams } : lenient;
    const before = target.upstreams.seen.length;
    const result = await target.exposure.call(name, { name, arguments: args }, target.view());
    expect(result['isError'], `${name} ${JSON.stringify(result).slice(0, 500)}`).toBeUndefined();
    expect(target.upstreams.seen.slice(before)).toEqual([
      { upstream: entry.upstream, method: 'tools/call', params: { name: entry.name, arguments: expected } },
    ]);
  }

  it('is reached with its arguments as they are, through its action and by its own name', async () => {
    const surface = await exposure.tools(view());
    const groups = new Map(surface.map((definition) => [String(definition['name']), definition]));
    let folded = 0;
    let unchecked = 0;
    for (const entry of entries) {
      const args = toArguments(entry);
      const valid = (await check.check(entry, args)).length === 0;
      if (!valid) unchecked += 1;
      const mention = await exposure.mention(entry, view());
      const [, group, action] = /^(.*) with action "(.*)"$/.exec(mention) ?? [];
      if (group !== undefined && action !== undefined) {
        folded += 1;
        expect(groups.get(group), mention).toBeDefined();
        await reach(entry, group, { action, ...args }, args, valid);
      } else expect(mention).toBe(entry.publicName);
      await reach(entry, entry.publicName, args, args, valid);
    }
    console.info(
      `${entries.length} tools reached, ${folded} of them folded; ${unchecked} with arguments that are not valid`,
    );
    expect(unchecked / entries.length).toBeLessThan(0.05);
  }, 900_000);

  it('has its valid calls accepted by the schema of its group', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    const surface = await exposure.tools(view());
    const validators = new Map(
      surface
        .filter(({ name }) => entries.every(({ publicName }) => publicName !== name))
        .map(({ name, inputSchema }) => [String(name), ajv.compile(inputSchema as JsonObject)]),
    );
    let accepted = 0;
    for (const entry of entries) {
      const [, group = '', action] =
        /^(.*) with action "(.*)"$/.exec(await exposure.mention(entry, view())) ?? [];
      const validate = validators.get(group);
      if (!validate) continue;
      const args = toArguments(entry);
      if ((await check.check(entry, args)).length > 0) continue;
      expect(validate({ action, ...args }), `${group} ${action} ${JSON.stringify(validate.errors)}`).toBe(
        true,
      );
      accepted += 1;
    }
    console.info(`${accepted} calls accepted by ${validators.size} groups`);
    expect(accepted).toBeGreaterThan(entries.length / 2);
  }, 900_000);
});
