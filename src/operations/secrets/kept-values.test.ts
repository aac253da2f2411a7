// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestHouse } from '../test-house.contract.ts';
import { readHide } from './kept-values.ts';

const ENTRY = {
  command: 'x',
  args: ['--password', 'written-in-args'],
  env: { A_KEY: 'written-by-hand', B_KEY: '${env:SHELL_KEY}', C_KEY: '${secret:kept}', LEVEL: 'verbose' },
};

it('hides what is kept, what is written into the configuration, and what is referred to from there', async () => {
  await using house = await openTestHouse({ env: { SHELL_KEY: 'from-the-shell' } });
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers: { x: ENTRY } }));
  await (await house.secrets()).save('kept', 'kept-and-sealed');
  const hide = await readHide(house);
  expect(hide('bad written-by-hand, from-the-shell, kept-and-sealed, written-in-args; verbose')).toBe(
    'bad (hidden), (hidden), (hidden), (hidden); verbose',
  );
});

it('hides what is kept when the configuration cannot be read', async () => {
  await using house = await openTestHouse();
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), '{');
  await (await house.secrets()).save('kept', 'kept-and-sealed');
  expect((await readHide(house))('bad kept-and-sealed')).toBe('bad (hidden)');
});
