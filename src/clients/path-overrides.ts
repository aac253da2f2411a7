/** Where people say a client's file is, for installations that keep it elsewhere. */
import { join } from 'node:path';
import * as z from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';
import { editFile, readText } from '../lib/edit-file.ts';

const FILE = z.object({ paths: z.record(z.string(), z.string()).default({}) });

/** The places people gave, by client. */
export interface PathOverrides {
  all(): Promise<Readonly<Record<string, string>>>;
  /** Remembers a place; none forgets it. */
  set(client: string, path: string | undefined): Promise<void>;
}

/** Opens those of a home: its `clients.json`. */
export function openPathOverrides(home: string): PathOverrides {
  const file = join(home, 'clients.json');
  return {
    all: async () => parse(file, await readText(file)),
    async set(client, path) {
      await editFile(file, (text) => {
        const others = Object.entries(parse(file, text)).filter(([key]) => key !== client);
        const paths = Object.fromEntries(path === undefined ? others : [...others, [client, path]]);
        return `${JSON.stringify({ paths }, null, 2)}\n`;
      });
    },
  };
}

function parse(file: string, text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  try {
    return FILE.parse(JSON.parse(text)).paths;
  } catch (cause) {
    throw new GatewayError(
      'FILE_REFUSED',
      `${file} is damaged; remove it and say again where the files of your clients are: thimble client config <client> --path <file>`,
      { cause, data: { file } },
    );
  }
}
