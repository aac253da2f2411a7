import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runProgram } from '../program.ts';

/** Runs a command in a directory whose configuration cannot be read, so that whoever looks at it says so. */
async function runIn(dir: string, words: readonly string[]) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const ports = {
    cwd: dir,
    env: {},
    print,
    streams: { input: new PassThrough(), output: new PassThrough() },
    program: [],
    terminal: undefined,
    stopped: Promise.resolve('SIGTERM'),
  };
  const code = await runProgram([...words, '--home', join(dir, 'home')], ports, { print, complain: print });
  return { code, text: lines.join('\n') };
}

it.each([
  [['serve', '--port', 'x'], '--port takes a number from 0 to 65535, not "x"'],
  [['serve', '--port', '65536'], '--port takes'],
  [['serve', '--log-level', 'loud'], '--log-level takes error, warn, info, debug, not "loud"'],
  [['serve', '--log-format', 'xml'], '--log-format takes text, json, not "xml"'],
  [['tokens', '--rows', '0'], '--rows takes a number from 1 to 1000, not "0"'],
  [['find', 'x', '--limit', 'all'], '--limit takes a number from 1 to 20, not "all"'],
  [['guide', '--platform', 'amiga'], '--platform takes'],
])('answers %j with 2 before anything is read or opened', async (words, says) => {
  const dir = await mkdtemp(join(tmpdir(), 'thimble-serve-'));
  try {
    await writeFile(join(dir, 'thimble.jsonc'), '{ broken');
    const { code, text } = await runIn(dir, words);
    expect(text).toContain(says);
    expect(code).toBe(2);
    expect(await readdir(dir)).toEqual(['thimble.jsonc']);
  } finally {
    await rm(dir, { recursive: true });
  }
});
