/** `client config`: where a client's file is looked for, or where it is instead. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { CLIENTS, findClient } from '../../clients/registry.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { House } from '../house.ts';
import { defineOperation } from '../operation.ts';
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
  effects: 'writes',
  words: ['name'],
  formerly: ['manage_client'],
  examples: [
    {},
    { name: 'cursor', path: '/mnt/c/Users/ada/.cursor/mcp.json' },
    { name: 'cursor', path: 'default' },
  ],
  async run({ name, path }, house) {
    const clients = openHouseClients(house);
    const isAll = name === undefined || name.trim().toLowerCase() === 'all';
    const keys = isAll
      ? CLIENTS.map(({ key }) => key)
      : name.split(',').map((word) => findClient(word.trim()).key);
    if (path !== undefined) {
      const [only] = keys;
      if (isAll || keys.length !== 1 || only === undefined)
        throw new GatewayError(
          'INVALID_PARAMS',
          'client config: path is the file of one client; name has to say which',
        );
      await clients.setPath(only, path === DEFAULT ? undefined : await toFile(path, house));
    }
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
