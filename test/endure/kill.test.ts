/** Programs ended in the middle of writing: what was acknowledged is there, and the file is whole. */
import { describe, expect, it } from 'vitest';
import {
  createAcknowledged,
  IS_FULL,
  onlyBuiltin,
  openProgram,
  readStoreFile,
  warmUp,
  writeMemories,
} from '../support/endure.ts';
import { printFigures } from '../support/fault-kit.ts';
import { createPlace } from '../support/program.ts';

const AT_ONCE = 4;
const KILLS = IS_FULL ? 200 : 20;
/** They die within this time after their first acknowledged write. */
const DIE_WITHIN_MS = 120;

describe('programs killed while they write', () => {
  it('lose no acknowledged row, and leave a file that SQLite finds whole', { timeout: 900_000 }, async () => {
    await using place = await createPlace(onlyBuiltin('memory'));
    await warmUp(place);
    const account = createAcknowledged();
    const errors: unknown[] = [];
    const random = createRandom(7);
    let killedMidWrite = 0;
    for (let round = 0; round < KILLS / AT_ONCE; round++) {
      const dying = Array.from({ length: AT_ONCE }, async (_, at) => {
        const program = await openProgram(place);
        let killed = false;
        let first = () => {};
        const begun = new Promise<void>((resolve) => {
          first = resolve;
        });
        const lanes = ['a', 'b'].map(async (lane) => {
          try {
            await writeMemories(program, `${round}-${at}-${lane}`, account, () => killed, first);
          } catch (error) {
            if (!killed) errors.push(error);
            throw error;
          }
        });
        const ended = Promise.allSettled(lanes);
        await Promise.race([begun, ended]);
        await new Promise((resolve) => setTimeout(resolve, random(DIE_WITHIN_MS)));
        killed = true;
        program.kill();
        // A lane that was waiting for an answer never gets it.
        if ((await ended).some(({ status }) => status === 'rejected')) killedMidWrite++;
        await program[Symbol.asyncDispose]();
      });
      await Promise.all(dying);
      expect(errors).toEqual([]);
      const { memories, integrity } = readStoreFile(place.home);
      expect(integrity).toBe('ok');
      expect(account.compare(memories)).toEqual([]);
    }
    printFigures('killed while writing', {
      kills: KILLS,
      'with a write under way': killedMidWrite,
      acknowledged: account.size,
      lost: 0,
    });
    expect(killedMidWrite).toBeGreaterThan(KILLS * 0.8);
    expect(account.size).toBeGreaterThan(KILLS);
  });
});

/** A random but repeatable number below a limit. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % limit;
  };
}
