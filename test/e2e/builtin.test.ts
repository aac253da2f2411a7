/** The examples of the built-in servers: a conversation in four modes, and each server as a library. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Runs an example and answers what it printed; one that found something wrong ends with 1. */
async function runExample(name: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../examples/builtin/${name}`, import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
    });
  const [code] = await once(child, 'close');
  expect(code, text).toBe(0);
  return text;
}

describe('the examples of the built-in servers', () => {
  it('remember, research and keep files over stdio and HTTP, in both eras and four modes', async () => {
    const text = await runExample('main.mjs');
    expect(text.match(/remembered, researched and kept/g)).toHaveLength(16);
  });

  it('make each server over a store in memory, for clients of both eras', async () => {
    const text = await runExample('in-memory.mjs');
    expect(text.match(/three servers in memory answered/g)).toHaveLength(2);
  });
});
