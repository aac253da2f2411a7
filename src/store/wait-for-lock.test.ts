import { describe, expect, it } from 'vitest';
import { waitForLock } from './wait-for-lock.ts';

const refusing = (...codes: readonly string[]) => {
  const left = [...codes];
  return async () => {
    const code = left.shift();
    if (code !== undefined) throw Object.assign(new Error('refused'), { code });
    return 'done';
  };
};

describe('waitForLock', () => {
  it.each(['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED', 'SQLITE_OK'])(
    'tries again after %s',
    async (code) => {
      expect(await waitForLock(refusing(code, code))).toBe('done');
    },
  );

  it('gives up at once for any other reason, and at the deadline for a lock', async () => {
    await expect(waitForLock(refusing('SQLITE_FULL'))).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    const past = performance.now() - 1;
    await expect(waitForLock(refusing('SQLITE_BUSY'), past)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  });
});
