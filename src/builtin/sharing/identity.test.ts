import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import HyperDHT from 'hyperdht';
import { describe, expect, it } from 'vitest';
import { createCipher } from '../../store/cipher.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openSharing } from './context.ts';
import { isSignedBy, toFingerprint, toIdentity, toSafetyNumber } from './identity.ts';

const bytes32 = () => fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

describe('an identity', () => {
  it('has the key pair the network makes of the same seed', () => {
    fc.assert(
      fc.property(bytes32(), (seed) => {
        const { publicKey, secretKey } = HyperDHT.keyPair(seed);
        expect(toIdentity(seed).pair).toEqual({ publicKey, secretKey });
      }),
      { numRuns: 20 },
    );
  });

  it('signs what nobody else can have signed', () => {
    const [one, other] = [toIdentity(randomBytes(32)), toIdentity(randomBytes(32))];
    const signature = one.sign('text');
    expect(isSignedBy(one.key, 'text', signature)).toBe(true);
    expect(isSignedBy(one.key, 'texts', signature)).toBe(false);
    expect(isSignedBy(other.key, 'text', signature)).toBe(false);
  });

  it('has a fingerprint that can be read out, and a safety number that is the same from both sides', () => {
    fc.assert(
      fc.property(bytes32(), bytes32(), (a, b) => {
        const [one, other] = [a.toString('hex'), b.toString('hex')];
        expect(toFingerprint(one)).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
        expect(toSafetyNumber(one, other)).toBe(toSafetyNumber(other, one));
        if (one !== other) expect(toFingerprint(one)).not.toBe(toFingerprint(other));
      }),
    );
  });

  it('is the same after a restart, is not readable in the store, and needs the key it was sealed with', async () => {
    const store = createMemoryStore();
    const key = randomBytes(32);
    const cipher = createCipher(async () => key);
    const first = await openSharing({ store, cipher });
    const { pair, key: publicKey } = await first.identity();
    const second = await openSharing({ store, cipher });
    expect((await second.identity()).key).toBe(publicKey);
    const rows = await first.db.selectFrom('sharing_identities').selectAll().execute();
    const seed = pair.secretKey.subarray(0, 32);
    for (const form of ['hex', 'base64', 'base64url'] as const)
      expect(JSON.stringify(rows)).not.toContain(seed.toString(form));
    const stranger = await openSharing({ store, cipher: createCipher(async () => randomBytes(32)) });
    await expect(stranger.identity()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('is one, even when two processes make it at the same moment', async () => {
    const store = createMemoryStore();
    const key = randomBytes(32);
    const cipher = createCipher(async () => key);
    const [one, two] = await Promise.all([openSharing({ store, cipher }), openSharing({ store, cipher })]);
    const [first, second] = await Promise.all([one.identity(), two.identity()]);
    expect(first.key).toBe(second.key);
  });
});
