/** Four programs writing the same store file: no error, no lost write, no loop that stands still while a fifth holds the lock. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createAcknowledged,
  holdWriteLock,
  IS_FULL,
  onlyBuiltin,
  openProgram,
  readLag,
  readStoreFile,
  warmUp,
  writeMemories,
} from '../support/endure.ts';
import { percentile, printFigures } from '../support/fault-kit.ts';
import { createPlace, PROGRAM } from '../support/program.ts';

const run = promisify(execFile);

const RUN_MS = IS_FULL ? 60_000 : 8_000;
/** They give up after five seconds, so that a slow machine has some left to take its turn. */
const HOLD_MS = IS_FULL ? 3_000 : 2_000;
const LANES = 3;
/** A busy machine lets programs stand still by itself; who waited for the lock would stand still as long as it is held. */
const MAX_LAG_MS = IS_FULL ? 100 : 500;
const NAMES = ['ada', 'bea', 'cid', 'dan'];

const STARTS = IS_FULL ? 60 : 6;

describe('four programs that write the same file', () => {
  it('lose nothing and never stand still, also while a fifth process holds the write lock', {
    timeout: RUN_MS + 240_000,
    retry: 2,
  }, async () => {
    await using place = await createPlace(onlyBuiltin('memory'));
    const lagFile = (name: string) => join(place.dir, `${name}.lag`);
    const account = createAcknowledged();
    const times: number[] = [];
    await warmUp(place);
    const programs = await Promise.all(NAMES.map((name) => openProgram(place, lagFile(name))));
    const end = performance.now() + RUN_MS;
    let held = true;
    const isOver = () => performance.now() > end && !held;
    const writing = programs.flatMap((program, at) =>
      Array.from({ length: LANES }, (_, lane) =>
        writeMemories(program, `${NAMES[at]}-${lane}`, account, isOver, (ms) => times.push(ms)),
      ),
    );
    const outcomes = Promise.allSettled(writing);
    const [from, to] = await holdWriteLock(place.home, HOLD_MS).finally(() => {
      held = false;
    });
    const errors = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()));

    const { memories, integrity } = readStoreFile(place.home);
    const wrong = account.compare(memories);
    const lags = await Promise.all(NAMES.map((name) => readLag(lagFile(name), from, to)));
    printFigures('four writers', {
      seconds: RUN_MS / 1_000,
      writes: times.length,
      'a second': Math.round(times.length / (RUN_MS / 1_000)),
      'p50 ms': percentile(times, 50).toFixed(1),
      'p95 ms': percentile(times, 95).toFixed(1),
      'longest ms': Math.max(...times).toFixed(0),
      errors: errors.length,
      lost: wrong.length,
      'lag while locked ms': lags.map((lag) => lag.toFixed(0)).join('/'),
    });
    expect(errors).toEqual([]);
    expect(wrong).toEqual([]);
    expect(integrity).toBe('ok');
    // Nobody wrote while the lock was held, so somebody waited for it.
    expect(Math.max(...times)).toBeGreaterThan(HOLD_MS - 500);
    expect(Math.max(...lags)).toBeLessThanOrEqual(MAX_LAG_MS);

    await using reader = await openProgram(place);
    const [id, content] = [...memories].find(([, text]) => text.startsWith('writer')) ?? [0, ''];
    const { memories: found } = await reader.call('search_memories', { query: content, limit: 100 });
    expect((found as { id: number; content: string }[]).find((one) => one.id === id)?.content).toBe(content);
  });
});

describe('four programs that make the same file', () => {
  it('all get the store, whoever comes first', { timeout: 600_000 }, async () => {
    for (let round = 0; round < STARTS; round++) {
      await using place = await createPlace(onlyBuiltin('memory'));
      const words = ['guide', '--home', place.home, '--config', place.config];
      const outcomes = await Promise.all(NAMES.map(() => run(process.execPath, [PROGRAM, ...words])));
      for (const { stdout, stderr } of outcomes) {
        // What would be said if one of them had to do without the file.
        expect(stderr).not.toContain('store');
        expect(stdout).toContain('recall_by_context');
      }
      expect(readStoreFile(place.home).integrity).toBe('ok');
    }
    printFigures('first starts', { rounds: STARTS, programs: STARTS * NAMES.length });
  });
});
