import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openApprovals } from './approvals.ts';
import { defineOperation, type Operation } from './operation.ts';
import { openHouseApprovals, perform, performForPerson, performPending, refusePending } from './perform.ts';
import { openTestHouse, type TestHouse } from './test-house.contract.ts';

/** Asks for something while nobody can be asked, and gives what waits then. */
async function leave(operation: Operation, house: TestHouse) {
  const performed = await perform(operation, { name: 'a' }, house, async () => 'later');
  const waiting = await (await openHouseApprovals(house)).pending();
  const pending = waiting.find(({ id }) => performed.is === 'pending' && id === performed.id);
  if (!pending) throw new Error('it did not wait');
  return pending;
}

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
  it('cannot be written down without saying what a person agrees to', () => {
    const about = { noun: 'server', verb: 'install', summary: 'put something in place' };
    const io = { input: z.object({}), output: z.object({}), examples: [], run: async () => ({}) };
    // @ts-expect-error There is no plan.
    const operation = defineOperation({ ...about, ...io, effects: 'acts', toText: () => '' });
    expect(operation.effects).toBe('acts');
  });

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
    const state = { runs: 'npx good', around: 1, done: [] as string[] };
    const operation = defineOperation({
      noun: 'server',
      verb: 'install',
      summary: 'put something in place',
      input: z.object({ name: z.string().describe('what') }),
      output: z.object({}),
      effects: 'acts',
      examples: [{ name: 'x' }],
      plan: async ({ name }) =>
        state.runs === ''
          ? undefined
          : {
              summary: `install ${name}`,
              details: [`runs: ${state.runs}`],
              diffs: [`@@ -${state.around} +${state.around} @@`, ` line ${state.around}`, `+${state.runs}`],
            },
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

  it('is done as it is by then when the person said yes to it beforehand', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const swap = async () => {
      state.runs = 'npx better';
      return 'beforehand' as const;
    };
    await performForPerson(operation.prepare({ name: 'a' }), house, swap);
    expect(state.done).toEqual(['npx better']);
  });

  it('is done when only lines around what it changes are others', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const move = async () => {
      state.around = 7;
      return 'yes' as const;
    };
    await perform(operation, { name: 'a' }, house, move);
    expect(state.done).toEqual(['npx good']);
  });

  it('is not done either when it waited and became something else after it was shown', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const pending = await leave(operation, house);
    state.runs = 'evil';
    const expected = { code: 'CONSENT_NEEDED', message: expect.stringContaining('has changed') };
    await expect(performPending(operation, pending, pending.plan, house)).rejects.toMatchObject(expected);
    expect(state.done).toEqual([]);
    await expect(perform(operation, { name: 'a' }, house, async () => 'later')).rejects.toMatchObject(
      expected,
    );
  });

  it('is done when it waited and is as it was shown, and told to whoever asked', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const pending = await leave(operation, house);
    await performPending(operation, pending, pending.plan, house);
    expect(state.done).toEqual(['npx good']);
    expect(await perform(operation, { name: 'a' }, house, async () => 'later')).toMatchObject({ is: 'done' });
    expect(state.done).toEqual(['npx good']);
  });

  it('is done without a plan when nothing is left to agree to, and not when there is something again', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const pending = await leave(operation, house);
    await expect(performPending(operation, pending, undefined, house)).rejects.toMatchObject({
      code: 'CONSENT_NEEDED',
    });
    await expect(perform(operation, { name: 'a' }, house, async () => 'later')).rejects.toThrow();
    const again = await leave(operation, house);
    state.runs = '';
    await performPending(operation, again, undefined, house);
    expect(state.done).toEqual(['']);
  });

  it('is not noted as failed when only the note that it was done failed', async () => {
    await using house = await openTestHouse();
    const { operation, state } = createChanging();
    const pending = await leave(operation, house);
    const store = await house.store();
    const seal = () => Promise.reject(new Error('the disk is full'));
    const full = { ...house, store: async () => ({ ...store, cipher: { ...store.cipher, seal } }) };
    await expect(performPending(operation, pending, pending.plan, full)).rejects.toThrow('the disk is full');
    expect(state.done).toEqual(['npx good']);
    expect(await (await openHouseApprovals(house)).claim(pending.id)).toBe(false);
    expect(await (await openHouseApprovals(house)).take(pending)).toMatchObject({ is: 'pending' });
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
  const WISH = { noun: 'server', verb: 'install', place: { cwd: '/', config: '/thimble.jsonc' } };

  it('is another wish in another project', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    const here = await leave(operation, house);
    const elsewhere = { ...house, cwd: join(house.cwd, 'other') };
    const there = await leave(operation, elsewhere);
    expect(there.id).not.toBe(here.id);
    expect([here.place.cwd, there.place.cwd]).toEqual([house.cwd, elsewhere.cwd]);
    await refusePending(here, house);
    expect(await perform(operation, { name: 'a' }, elsewhere, async () => 'later')).toMatchObject({
      is: 'pending',
      id: there.id,
    });
  });

  it('waits no longer once the same was answered with yes or no', async () => {
    await using house = await openTestHouse();
    const { operation, done } = createActing();
    const first = await leave(operation, house);
    await perform(operation, { name: 'a' }, house, async () => 'yes');
    expect(done).toEqual(['a']);
    await expect(performPending(operation, first, first.plan, house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
    await leave(operation, house);
    await expect(perform(operation, { name: 'a' }, house, async () => 'no')).rejects.toMatchObject({
      code: 'CONSENT_REFUSED',
    });
    expect(await (await openHouseApprovals(house)).pending()).toEqual([]);
    expect(done).toEqual(['a']);
  });

  it('is not done a second time while somebody carries it out', async () => {
    await using house = await openTestHouse();
    const { operation, done } = createActing();
    const { id } = await leave(operation, house);
    await (await openHouseApprovals(house)).claim(id);
    await expect(perform(operation, { name: 'a' }, house, async () => 'yes')).rejects.toMatchObject({
      code: 'TOO_BUSY',
    });
    expect(done).toEqual([]);
  });

  it('cannot be refused any more once somebody carries it out', async () => {
    await using house = await openTestHouse();
    const { operation } = createActing();
    const pending = await leave(operation, house);
    await (await openHouseApprovals(house)).claim(pending.id);
    await expect(refusePending(pending, house)).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  });

  it('can be carried out by somebody else when whoever began has died over it', async () => {
    await using house = await openTestHouse();
    const store = await house.store();
    const wish = { ...WISH, args: { name: 'a' } };
    const at = (time: string) => openApprovals(store, () => new Date(time));
    const early = at('2026-01-01T00:00:00Z');
    const id = await early.leave(wish, { summary: 's', details: [] });
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
    const early = openApprovals(store, () => new Date('2026-01-01T00:00:00Z'));
    await early.leave({ ...WISH, args: { name: 'old' } }, plan);
    const now = openApprovals(store, () => new Date('2026-01-02T00:00:01Z'));
    expect(await now.pending()).toEqual([]);
    const add = (name: string) => now.leave({ ...WISH, args: { name } }, plan);
    const first = await add('0');
    for (let at = 1; at < 50; at++) await add(String(at));
    await expect(add('50')).rejects.toMatchObject({ code: 'TOO_BUSY' });
    expect((await now.pending()).map(({ id }) => id)).toContain(first);
  });
});
