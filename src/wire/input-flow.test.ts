import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createInputFlow } from './input-flow.ts';

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `line ${from + at}`)
    .join('\n')
    .concat('\n');

function setUp() {
  const input = new PassThrough({ highWaterMark: 1_000_000 });
  const chunks: string[] = [];
  const flow = createInputFlow(input);
  flow.start((chunk) => chunks.push(chunk.toString()));
  return { input, flow, chunks, text: () => chunks.join('') };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('the way in of a channel', () => {
  it('hands few lines over at once', async () => {
    const { input, chunks } = setUp();
    input.write(lines(50));
    await turns(1);
    expect(chunks).toEqual([lines(50)]);
  });

  it('deals with a flood bit by bit, in order, and loses nothing of it', async () => {
    const { input, chunks, text } = setUp();
    let turnsOfOthers = 0;
    const others = setInterval(() => {}, 1_000);
    const count = () => {
      turnsOfOthers += 1;
      if (turnsOfOthers < 100) setImmediate(count);
    };
    setImmediate(count);
    input.write(lines(1_000));
    input.write(lines(10, 1_000));
    await turns(30);
    clearInterval(others);
    expect(text()).toBe(lines(1_010));
    expect(chunks.length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...chunks.map((chunk) => chunk.split('\n').length - 1))).toBeLessThanOrEqual(100);
    expect(turnsOfOthers).toBeGreaterThanOrEqual(10);
  });

  it('says that it has ended only after the last line', async () => {
    const { input, text } = setUp();
    let ended = '';
    input.on('end', () => {
      ended = text();
    });
    input.end(lines(700));
    await turns(30);
    expect(ended).toBe(lines(700));
  });

  it('stands still while it is held, also in the middle of a flood', async () => {
    const { input, flow, chunks, text } = setUp();
    flow.hold(true);
    input.write(lines(1_000));
    await turns(3);
    expect(chunks).toEqual([]);
    flow.hold(false);
    await turns(3);
    flow.hold(true);
    const before = chunks.length;
    expect(before).toBeLessThan(10);
    await turns(30);
    expect(chunks).toHaveLength(before);
    flow.hold(false);
    flow.hold(true);
    flow.hold(false);
    await turns(30);
    expect(chunks).toHaveLength(10);
    expect(text()).toBe(lines(1_000));
  });
});
