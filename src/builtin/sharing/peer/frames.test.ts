import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, readFrames, toBytes, toWords } from './frames.ts';

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

async function collect(pieces: AsyncIterable<Uint8Array>, limit = 1_000_000): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(pieces, () => limit)) frames.push(frame);
  return frames;
}

describe('frames', () => {
  it('come out as they went in, however the stream is cut', async () => {
    const id = 'ab'.repeat(16);
    const frame = fc.oneof(
      fc.jsonValue().map((value) => ({ kind: 'words' as const, value })),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ kind: 'bytes' as const, id, bytes })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(60)), async (sent, sizes) => {
        const bytes = sent.map((one) => (one.kind === 'words' ? toWords(one.value) : toBytes(id, one.bytes)));
        const heard = await collect(inPieces(Buffer.concat(bytes), sizes));
        expect(
          heard.map((one) => (one.kind === 'words' ? JSON.stringify(one.value) : [...one.bytes])),
        ).toEqual(sent.map((one) => (one.kind === 'words' ? JSON.stringify(one.value) : [...one.bytes])));
      }),
    );
  });

  it('end at one that is longer than allowed, before it is read', async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from([0x7f, 0xff, 0xff, 0xff, 0]);
      for (;;) {
        pulled++;
        yield Buffer.alloc(1000);
      }
    }
    expect(await collect(endless(), 4096)).toEqual([]);
    expect(pulled).toBe(0);
  });

  it('end without a fault, whatever comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(50)), async (bytes, sizes) => {
        await expect(collect(inPieces(Buffer.from(bytes), sizes))).resolves.toBeDefined();
      }),
    );
  });
});
