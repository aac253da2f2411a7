import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlace, fixture, type Place } from '../../../test/support/program.ts';
import type { CommandPorts } from '../command.ts';
import { find } from './find.ts';

async function openPlace(): Promise<Place> {
  const place = await createPlace({});
  const args = [fixture('echo-server.mjs'), '--name', 'desk', '--starts', join(place.dir, 'starts')];
  await place.write({ mcpServers: { desk: { command: process.execPath, args } } });
  return place;
}

async function run(place: Place, words: string, options: Record<string, string | boolean> = {}) {
  const printed: string[] = [];
  const ports: CommandPorts = {
    cwd: place.dir,
    env: process.env,
    print: (line) => void printed.push(line),
    streams: { input: process.stdin, output: process.stdout },
    program: [],
    terminal: undefined,
    stopped: new Promise(() => {}),
  };
  const code = await find.run({ args: [words], options: { home: place.home, ...options } }, ports);
  return { code, text: printed.join('\n') };
}

describe('thimble find', () => {
  it('prints hits as an agent is shown them', async () => {
    await using place = await openPlace();
    const { code, text } = await run(place, 'add two numbers');
    expect(code).toBe(0);
    expect(text.split('\n')).toEqual(['desk:add(a: number, b: number)', '  Adds two numbers', '1 of 10']);
  });

  it('starts nothing once what the servers offer is known', async () => {
    await using place = await openPlace();
    await run(place, 'add two numbers');
    await run(place, 'say something back');
    expect((await readFile(join(place.dir, 'starts'), 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('says what each score is made of, by field and bonus, and the parts add up', async () => {
    await using place = await openPlace();
    const { text } = await run(place, 'add two numbers', { explain: true });
    const sum = text.split('\n')[2] ?? '';
    expect(sum).toMatch(/^ {2}\d\.\d{3} = name \d\.\d{3} \+ .*coverage \d\.\d{3}/);
    const [score = 0, ...parts] = [...sum.matchAll(/\d+\.\d{3}/g)].map(([number]) => Number(number));
    const total = parts.reduce((all, part) => all + part, 0);
    expect(Math.abs(score - total)).toBeLessThan(0.01);
  });

  it('says that a tool was named exactly', async () => {
    await using place = await openPlace();
    const { text } = await run(place, 'desk:env', { explain: true, limit: '1' });
    expect(text).toMatch(/^desk:env\(\)\n.*\n.* \+ exact 20\.000\n1 of 10$/);
  });

  it('lists the servers for "*", and ends with 1 when nothing matches', async () => {
    await using place = await openPlace();
    expect(await run(place, '*')).toEqual({ code: 0, text: 'desk 10 tools Instructions of desk' });
    const nothing = await run(place, 'qwxyz', { explain: true });
    expect(nothing.code).toBe(1);
    expect(nothing.text).toMatch(/^no tool matches "qwxyz"/);
  });

  it('refuses a server that is not there and a limit out of bounds, and says what there is', async () => {
    await using place = await openPlace();
    await expect(run(place, 'add', { server: 'dest' })).rejects.toThrow('did you mean "desk"?');
    await expect(run(place, 'add', { limit: '21' })).rejects.toThrow('--limit takes a number from 1 to 20');
  });
});
