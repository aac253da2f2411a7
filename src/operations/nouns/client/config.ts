/** `client config`: where a client's file is looked for, or where it is instead. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { CLIENTS, findClient } from '../../../clients/known/registry.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { toShown } from '../../shown/quote.ts';
import { openHouseClients } from './house-clients.ts';
import { ANY_CLIENT_NAME } from './inputs.ts';

const PLACE = z.object({
  key: z.string(),
  /** The file in use, or where it would be made. */
  file: z.string(),
  /** What a person said. */
  override: z.string().optional(),
  /** Where it is looked for otherwise. */
  places: z.array(z.string()),
});

/** The word that takes a person's answer back. */
const DEFAULT = 'default';

/** Shows and sets places. */
export const config = defineOperation({
  noun: 'client',
  verb: 'config',
  summary: "where clients' files are; set another place",
  input: z.object({
    name: ANY_CLIENT_NAME,
    path: z.string().min(1).max(4_000).optional().describe('its file, or "default"'),
  }),
  output: z.object({ clients: z.array(PLACE) }),
  // What is named here is read, and written by a connect.
  effects: 'acts',
  words: ['name'],
  formerly: ['manage_client'],
  examples: [
    {},
    { name: 'cursor', path: '/mnt/c/Users/ada/.cursor/mcp.json' },
    { name: 'cursor', path: 'default' },
  ],
  async plan(input, house) {
    const placement = await toPlacement(input, house);
    if (!placement) return undefined;
    const { key, file } = placement;
    const { path, override } = await openHouseClients(house).place(key);
    if (override === file) return undefined;
    const next = file === undefined ? 'looked for in the usual places again' : toShown(file);
    return {
      summary: `set the file of ${key}`,
      details: [
        `the file of ${key} is now: ${toShown(path)}`,
        `it would be: ${next}`,
        'Thimble then takes servers out of that file, and a connect writes it.',
      ],
    };
  },
  async run(input, house) {
    const clients = openHouseClients(house);
    const placement = await toPlacement(input, house);
    if (placement) await clients.setPath(placement.key, placement.file);
    const keys = toKeys(input.name);
    const places = await Promise.all(keys.map((key) => clients.place(key)));
    return {
      clients: places.map(({ key, path: file, override, candidates }) => ({
        ...{ key, file, places: [...candidates] },
        ...(override !== undefined && { override }),
      })),
    };
  },
  toText: ({ clients }) =>
    clients
      .map(({ key, file, override, places }) =>
        override === undefined
          ? [
              `${key}: ${file}`,
              ...places.filter((place) => place !== file).map((place) => `  or ${place}`),
            ].join('\n')
          : `${key}: ${file} (set by hand; thimble client config ${key} --path ${DEFAULT} forgets it)`,
      )
      .join('\n'),
});

/** The client whose file is set, and the file; undefined when it is only asked for. */
async function toPlacement(
  { name, path }: { readonly name?: string | undefined; readonly path?: string | undefined },
  house: House,
): Promise<{ readonly key: string; readonly file: string | undefined } | undefined> {
  const keys = toKeys(name);
  if (path === undefined) return undefined;
  const [key] = keys;
  if (keys.length !== 1 || key === undefined)
    throw new GatewayError(
      'INVALID_PARAMS',
      'client config: path is the file of one client; name has to say which',
    );
  return { key, file: path === DEFAULT ? undefined : await toFile(path, house) };
}

function toKeys(name: string | undefined): readonly string[] {
  if (name === undefined || name.trim().toLowerCase() === 'all') return CLIENTS.map(({ key }) => key);
  return name.split(',').map((word) => findClient(word.trim()).key);
}

async function toFile(path: string, { cwd, machine }: House): Promise<string> {
  const file = /^~[\\/]/.test(path) ? join(machine.userHome, path.slice(2)) : resolve(cwd, path);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isDirectory()) return file;
  throw new GatewayError(
    'FILE_REFUSED',
    `${file} is a directory; give the file in which the client keeps its servers`,
    { data: { file } },
  );
}
