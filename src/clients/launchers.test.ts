import { expect, it } from 'vitest';
import { findLauncher } from './launchers.ts';

it.each([
  ['npx', 'npx', 'package'],
  ['C:\\node\\NPX.cmd', 'npx', 'package'],
  ['/usr/bin/python3.12', 'python3.12', 'file'],
  ['docker', 'docker', 'image'],
  ['sudo', 'sudo', 'any'],
])('knows %s', (command, name, kind) => {
  expect(findLauncher(command)).toEqual({ name, kind });
});

it.each(['my-server', '/opt/node/bin/server', ''])('takes %s for a program of its own', (command) => {
  expect(findLauncher(command)).toBeUndefined();
});
