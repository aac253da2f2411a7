/** The last lines a child wrote to stderr, bounded in lines and in length. */
import type { Readable } from 'node:stream';
import { createLineReader } from '../../../wire/line-reader.ts';

/** What is kept of stderr. */
export interface StderrTail {
  readonly lines: readonly string[];
}

const MAX_LINES = 200;
const MAX_LINE_BYTES = 2_000;

/** Drains a stream for as long as it flows, since a full pipe would block the child; `hide` takes out what nobody may see. */
export function keepStderrTail(stderr: Readable, hide: (text: string) => string): StderrTail {
  const lines: string[] = [];
  const add = (text: string) => {
    lines.push(hide(text.trimEnd()));
    if (lines.length > MAX_LINES) lines.shift();
  };
  const read = createLineReader(MAX_LINE_BYTES, {
    line: (bytes) => add(bytes.toString('utf8')),
    overflow: (line) => add(`${line.head.toString('utf8')}… (${line.bytes} bytes)`),
  });
  stderr.on('data', read);
  stderr.on('end', () => read(Buffer.from('\n')));
  stderr.on('error', (error) => add(`(stderr broke: ${error.message})`));
  return { lines };
}
