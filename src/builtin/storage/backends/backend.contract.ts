/** The suite every backend must pass. */
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Backend, TakenContent } from './backend.ts';

const LIMIT = 40 * 1024 * 1024;

/** A fresh name for an attempt. */
export function newAttempt(): string {
  return randomBytes(16).toString('hex');
}

/** Bytes in pieces, as they come over a wire. */
export async function* inPieces(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a stream to its end. */
export async function readAll(stream: Readable | undefined): Promise<Buffer | undefined> {
  if (!stream) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** Takes a content in and makes it last. */
export async function store(backend: Backend, bytes: Uint8Array): Promise<TakenContent> {
  const attempt = newAttempt();
  const taken = await backend.put({ attempt, content: inPieces(bytes), limit: LIMIT });
  await backend.keep(attempt, taken.address);
  return taken;
}

async function* failing(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('the client went away');
}

/** Runs the suite against backends that `open` makes. */
export function runBackendContract(open: () => Backend): void {
  describe('as a backend', () => {
    it.each([0, 1, 100_001, 8 * 1024 * 1024, 8 * 1024 * 1024 + 1, 17 * 1024 * 1024])(
      'gives back %i bytes as they were, with their size and digest',
      async (size) => {
        const backend = open();
        const bytes = randomBytes(size);
        const taken = await store(backend, bytes);
        expect(taken).toMatchObject({ size, sha256: createHash('sha256').update(bytes).digest('hex') });
        expect(taken.address.startsWith(`${backend.kind}:`)).toBe(true);
        expect((await readAll(await backend.get(taken.address)))?.equals(bytes)).toBe(true);
      },
    );

    it('gives any part that is asked for', async () => {
      const backend = open();
      const bytes = randomBytes(5_000);
      const { address } = await store(backend, bytes);
      const ends = fc.tuple(fc.integer({ min: 0, max: 4_999 }), fc.integer({ min: 1, max: 4_999 }));
      await fc.assert(
        fc.asyncProperty(ends, async ([a, b]) => {
          const [start, end] = a < b ? [a, b] : [b, a];
          const part = await readAll(await backend.get(address, { start, end }));
          expect(part?.equals(bytes.subarray(start, end + 1))).toBe(true);
        }),
        { numRuns: 25 },
      );
    });

    it('refuses a content past the limit while it comes, and keeps nothing of it', async () => {
      const backend = open();
      const attempt = newAttempt();
      let sent = 0;
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (;;) {
          sent += 1_000_000;
          yield new Uint8Array(1_000_000);
        }
      }
      const taking = backend.put({ attempt, content: endless(), limit: 20_000_000 });
      await expect(taking).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
      expect(sent).toBeLessThanOrEqual(21_000_000);
      await expect(backend.discard(attempt)).resolves.toBeUndefined();
    });

    it('passes on what broke a content, and takes the same content later', async () => {
      const backend = open();
      const bytes = randomBytes(9 * 1024 * 1024);
      const taking = backend.put({ attempt: newAttempt(), content: failing(bytes), limit: LIMIT });
      await expect(taking).rejects.toThrow('the client went away');
      const { address } = await store(backend, bytes);
      expect((await readAll(await backend.get(address)))?.byteLength).toBe(bytes.byteLength);
    });

    it('lets go of what was taken in and never kept', async () => {
      const backend = open();
      const attempt = newAttempt();
      const { address } = await backend.put({ attempt, content: inPieces(randomBytes(10)), limit: LIMIT });
      await backend.discard(attempt);
      await backend.discard(attempt);
      expect(await backend.get(address)).toBeUndefined();
    });

    it('deletes a content, and does not mind when it is gone', async () => {
      const backend = open();
      const { address } = await store(backend, randomBytes(10));
      await backend.delete(address);
      await backend.delete(address);
      expect(await backend.get(address)).toBeUndefined();
    });

    it('may be closed whether it was used or not, and keeps what is to last', async () => {
      const backend = open();
      await backend.close();
      const used = open();
      const { address } = await store(used, Buffer.from('lasting'));
      await used.close();
      expect((await readAll(await open().get(address)))?.toString()).toBe('lasting');
    });

    it('finds nothing at addresses of others, and nothing outside its place', async () => {
      const backend = open();
      const strange = [
        '',
        '/etc/passwd',
        '../../etc/passwd',
        'other:abc',
        `${backend.kind}:../../etc/passwd`,
        `${backend.kind}:/`,
        `${backend.kind}:thimble/`,
        `${backend.kind}:thimble/../x`,
      ];
      const letters = fc.string().map((text) => `${backend.kind}:${text}`);
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.constantFrom(...strange), letters), async (address) => {
          expect(await backend.get(address)).toBeUndefined();
          await backend.delete(address);
        }),
        { numRuns: 30 },
      );
    });
  });
}
