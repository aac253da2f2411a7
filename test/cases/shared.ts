/** Reads case files kept outside the project; the folder is named by CASES_DIR or lies beside the checkout. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/model/json.ts';

const FOLDER =
  process.env['CASES_DIR'] ?? fileURLToPath(new URL('../../../shared/data/cases', import.meta.url));

/** The cases of one file, one JSON object a line. */
export function readCases<Case = JsonObject>(name: string): Case[] {
  const text = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Case);
}
