import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSigner } from './signer.ts';

const secret = randomBytes(32);
const at = (now: number, key: Buffer = secret) =>
  createSigner({ secret: key, baseUrl: () => 'http://127.0.0.1:7000', now: () => now });
const queryOf = (url: string) => new URL(url).searchParams;

it('points to the server and is good until it expires', () => {
  const url = at(1_000_000).toUrl('file', 'abc', 60);
  expect(url).toMatch(
    /^http:\/\/127\.0\.0\.1:7000\/storage\/file\/abc\?expires=1060&signature=[0-9a-f]{64}$/,
  );
  expect(at(1_059_999).check('file', 'abc', queryOf(url))).toBe('good');
  expect(at(1_060_000).check('file', 'abc', queryOf(url))).toBe('expired');
});

it('is no use for another file, another purpose or another gateway', () => {
  const query = queryOf(at(0).toUrl('file', 'abc', 60));
  expect(at(0).check('file', 'abd', query)).toBe('wrong');
  expect(at(0).check('upload', 'abc', query)).toBe('wrong');
  expect(at(0, randomBytes(32)).check('file', 'abc', query)).toBe('wrong');
});

it('is spoilt by any change to it', () => {
  const query = queryOf(at(0).toUrl('file', 'abc', 60));
  const signature = query.get('signature') ?? '';
  fc.assert(
    fc.property(fc.nat(63), fc.constantFrom(...'0123456789abcdefABCDEF'), (place, digit) => {
      const altered = `${signature.slice(0, place)}${digit}${signature.slice(place + 1)}`;
      const changed = new URLSearchParams({ expires: '60', signature: altered });
      expect(at(0).check('file', 'abc', changed)).toBe(altered === signature ? 'good' : 'wrong');
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('60.0', '060', '1e9', ' 60', '99999')), (expires) => {
      const changed = new URLSearchParams({ expires, signature });
      expect(at(0).check('file', 'abc', changed)).toBe(expires === '60' ? 'good' : 'wrong');
    }),
  );
  expect(at(0).check('file', 'abc', new URLSearchParams())).toBe('wrong');
});

it('keeps the path a proxy serves the gateway under', () => {
  const signer = createSigner({ secret, baseUrl: () => 'https://home.example/thimble/', now: () => 0 });
  expect(signer.toUrl('upload', 'abc', 60)).toContain('https://home.example/thimble/storage/upload/abc?');
});

it('says so when there is no server to point to', () => {
  const signer = createSigner({ secret, baseUrl: () => undefined, now: () => 0 });
  expect(() => signer.toUrl('file', 'abc', 60)).toThrow(/thimble serve/);
});
