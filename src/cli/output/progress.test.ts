import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { tellWhenSlow } from './progress.ts';

describe('waiting for slow work', () => {
  it('says what for after a second, and nothing when it was quicker', async () => {
    const clock = createFakeClock();
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    await tellWhenSlow(Promise.resolve(), () => 'waiting for quick', say, clock);
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const waited = tellWhenSlow(slow, () => 'waiting for slow', say, clock);
    await clock.advance(999);
    expect(said).toEqual([]);
    await clock.advance(1);
    finish();
    await waited;
    expect(said).toEqual(['waiting for slow']);
  });
});
