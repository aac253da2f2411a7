import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openApprovals } from './approvals.ts';
import { defineOperation } from './operation.ts';
import { openHouseApprovals, perform, performForPerson, performPending } from './perform.ts';
import { openTestHouse } from './test-house.contract.ts';

function createActing() {
  const done: string[] = [];
  const operation = defineOperation({
    noun: 'server',
    verb: 'install',
    summary: 'put something in place',
    input: z.object({ name: z.string().describe('what'), env: z.record(z.string(), z.string()).optional() }),
    output: z.object({ name: z.string() }),
    effects: 'acts',
    examples: [{ name: 'x' }],
    plan: async ({ name }) =>
      name === 'there' ? undefined : { summary: `install ${name}`, details: ['npx x'] },
    async run({ name }) {
      done.push(name);
      return { name };
    },
    toText: ({ name }) => `installed ${name}`,
  });
  return { operation, done };
}

describe('what acts', () => {
  it('is done when a person says yes, and not when they say no', async () => {
    await using house = await openTestHouse();
    const { operation, done } = createActing();
    expect(await perform(operation, { name: 'a' }, house, async () => 'yes')).toMatchObject({
      is: 'done',
      text: 'installed a',
    });
    await expect(perform(operation, { name: 'b' }, house, async () => 'no')).rejects.toMatchObject({
      code: 'CONSENT_REFUSED',
    });
    expect(done).toEqual(['a']);
  });

  it('is done without asking when there is nothing to agree to', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    const never = () => Promise.reject(new Error('nobody should be asked'));
    expect(await perform(operation, { name: 'there' }, house, never)).toMatchObject({ is: 'done' });
  });

  it('waits with an id, what will run and the command that agrees, when nobody can be asked', async () => {
    await using house = await openTestHouse();
    const { operation, done } = createActing();
    const first = await perform(operation, { name: 'a' }, house, async () => 'later');
    if (first.is !== 'pending') throw new Error('it did not wait');
    expect(first.text).toContain(`thimble approve ${first.id}`);
    expect(first.text).toContain('npx x');
    const again = await perform(operation, { name: 'a' }, house, async () => 'later');
    expect(again).toMatchObject({ is: 'pending', id: first.id });
    expect(done).toEqual([]);
  });

  it('gives its result, once, to whoever asks again after it was agreed to', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    const args = { name: 'a', env: { B: '1', A: '2' } };
    const waiting = await perform(operation, args, house, async () => 'later');
    if (waiting.is !== 'pending') throw new Error('it did not wait');
    const approvals = await openHouseApprovals(house);
    expect(await approvals.claim(waiting.id)).toBe(true);
    expect(await approvals.claim(waiting.id)).toBe(false);
    const outcome = await operation.prepare(args).run(house);
    await approvals.settle(waiting.id, { is: 'done', outcome });
    const reordered = { env: { A: '2', B: '1' }, name: 'a' };
    expect(await perform(operation, reordered, house, async () => 'later')).toMatchObject({
      is: 'done',
      output: { name: 'a' },
    });
    expect(await perform(operation, args, house, async () => 'later')).toMatchObject({ is: 'pending' });
  });

  it('tells whoever asks again that it was refused or failed', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    const approvals = await openHouseApprovals(house);
    for (const verdict of [
      { is: 'refused' },
      { is: 'failed', code: 'INSTALL_FAILED', message: 'it would not start' },
    ] as const) {
      const waiting = await perform(operation, { name: 'a' }, house, async () => 'later');
      if (waiting.is !== 'pending') throw new Error('it did not wait');
      await approvals.settle(waiting.id, verdict);
      await expect(perform(operation, { name: 'a' }, house, async () => 'later')).rejects.toMatchObject({
        code: verdict.is === 'failed' ? 'INSTALL_FAILED' : 'CONSENT_REFUSED',
      });
    }
  });
});

describe('what was agreed to', () => {
  function createChanging() {
    const state = { runs: 'npx good', done: [] as string[] };
    const operation = defineOperation({
      noun: 'server',
      verb: 'install',
      summary: 'put something in place',
      input: z.object({ name: z.string().describe('what') }),
      output: z.object({}),
      effects: 'acts',
      examples: [{ name: 'x' }],
      plan: async ({ name }) => ({ summary: `install ${name}`, details: [`runs: ${state.runs}`] }),
      async run() {
        state.done.push(state.runs);
        return {};
      },
      toText: () => 'done',
    });
    return { operation, state };
  }

  it('is not done when it became something else while the person thought about it', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const swap = async () => {
      state.runs = 'evil';
      return 'yes' as const;
    };
    const expected = { code: 'CONSENT_NEEDED', message: expect.stringContaining('has changed') };
    await expect(perform(operation, { name: 'a' }, house, swap)).rejects.toMatchObject(expected);
    state.runs = 'npx good';
    await expect(performForPerson(operation.prepare({ name: 'a' }), house, swap)).rejects.toMatchObject(
      expected,
    );
    expect(state.done).toEqual([]);
  });

  it('is not done either when it waited', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    await perform(operation, { name: 'a' }, house, async () => 'later');
    const [pending] = await (await openHouseApprovals(house)).pending();
    if (!pending) throw new Error('nothing waits');
    const other = { summary: 'install a', details: ['another command'] };
    await expect(performPending(pending, other, house)).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('cannot be forged or hidden by the names it holds', async () => {
    await using house = await openTestHouse();
    const { operation } = createChanging();
    const plan = await operation.prepare({ name: 'a\nruns: nothing\u001b[1A\u202Eb' }).plan(house);
    expect(plan?.summary).toBe('install a\\u{a}runs: nothing\\u{1b}[1A\\u{202e}b');
  });

  it('is not what answers a person who asks for the same themselves', async () => {
    await using house = await openTestHouse();
    const { operation, done } = createActing();
    const waiting = await perform(operation, { name: 'a' }, house, async () => 'later');
    if (waiting.is !== 'pending') throw new Error('it did not wait');
    await (await openHouseApprovals(house)).settle(waiting.id, { is: 'refused' });
    await performForPerson(operation.prepare({ name: 'a' }), house, async () => 'yes');
    expect(done).toEqual(['a']);
  });
});

describe('what waits', () => {
  it('can be carried out by somebody else when whoever began has died over it', async () => {
    await using house = await openTestHouse();
    const store = await house.store();
    const wish = { noun: 'server', verb: 'install', args: { name: 'a' } };
    const at = (time: string) => openApprovals(store, () => new Date(time));
    const early = at('2026-01-01T00:00:00Z');
    const id = await early.leave(wish, { summary: 's', details: [] }, { cwd: '/', config: '/c' });
    expect(await early.claim(id)).toBe(true);
    expect(await at('2026-01-01T00:05:00Z').claim(id)).toBe(false);
    expect((await at('2026-01-01T00:11:00Z').pending()).map((one) => one.id)).toEqual([id]);
  });

  it('is sealed, since it may hold secrets', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    await perform(operation, { name: 'a', env: { TOKEN: 'planted-secret-1' } }, house, async () => 'later');
    const [pending] = await (await openHouseApprovals(house)).pending();
    expect(pending?.args).toEqual({ name: 'a', env: { TOKEN: 'planted-secret-1' } });
    for (const name of ['thimble.db', 'thimble.db-wal']) {
      const bytes = await readFile(join(house.home, name)).catch(() => Buffer.alloc(0));
      expect(bytes.includes('planted-secret-1')).toBe(false);
    }
  });

  it('is forgotten after a day, and never grows beyond what a person can look through', async () => {
    await using house = await openTestHouse();
    const store = await house.store();
    const plan = { summary: 's', details: [] };
    const place = { cwd: '/', config: '/thimble.jsonc' };
    const early = openApprovals(store, () => new Date('2026-01-01T00:00:00Z'));
    await early.leave({ noun: 'server', verb: 'install', args: { name: 'old' } }, plan, place);
    const now = openApprovals(store, () => new Date('2026-01-02T00:00:01Z'));
    expect(await now.pending()).toEqual([]);
    const leave = (name: string) =>
      now.leave({ noun: 'server', verb: 'install', args: { name } }, plan, place);
    const first = await leave('0');
    for (let at = 1; at < 50; at++) await leave(String(at));
    await expect(leave('50')).rejects.toMatchObject({ code: 'TOO_BUSY' });
    expect((await now.pending()).map(({ id }) => id)).toContain(first);
  });
});
