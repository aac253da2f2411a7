/** What the tests of this folder share: a house with a configuration, and the operations by their verb. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../model/json.ts';
import type { PreparedOperation } from '../../operation.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { CONFIG } from './operations.ts';

/** Opens a house with this configuration in its home. */
export async function openConfigured(
  text?: string,
  given: Parameters<typeof openTestHouse>[0] = {},
): Promise<TestHouse> {
  const house = await openTestHouse(given);
  await mkdir(house.home, { recursive: true });
  await mkdir(house.cwd, { recursive: true });
  if (text !== undefined) await writeFile(join(house.home, 'thimble.jsonc'), text);
  return house;
}

/** One operation with its input. */
export function prepare(verb: string, args: JsonObject = {}): PreparedOperation {
  const operation = CONFIG.find((each) => each.verb === verb);
  if (!operation) throw new Error(`no ${verb}`);
  return operation.prepare(args);
}

/** The text of the configuration. */
export function readConfigText(house: TestHouse): Promise<string> {
  return readFile(join(house.home, 'thimble.jsonc'), 'utf8');
}
