import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OLDEST_NODE, VERSION } from './version.ts';

const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
  engines: { node: string };
};

it('is the version of the package', () => {
  expect(VERSION).toBe(PACKAGE.version);
});

it('names the oldest Node that the package asks for', () => {
  expect(PACKAGE.engines.node).toBe(`>=${OLDEST_NODE.join('.')}`);
});
