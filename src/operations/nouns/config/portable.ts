/** The file a configuration or a profile travels in: no secret, what it needs, and a lock of what its servers offer. */
import * as z from 'zod';
import { parseConfig } from '../../../config/parse.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { NAME, NAME_RULE } from '../../profiles/names.ts';
import { toShown } from '../../shown/quote.ts';
import { NEED } from './references.ts';
import { readJsonFile } from './sources.ts';

/** The version of the format. */
export const VERSION = 1;

const OBJECT = z.custom<JsonObject>(isJsonObject, { error: 'expected an object' });

/** What a file may hold. */
const FILE = z.strictObject({
  format: z.enum(['thimble-config', 'thimble-profile']),
  version: z.int(),
  /** The profile it is of. */
  profile: z
    .string()
    .regex(NAME, { error: `expected ${NAME_RULE}` })
    .optional(),
  /** Sections beside the servers. */
  settings: OBJECT.optional(),
  /** Built-in servers that are in the profile. */
  builtin: z.array(z.string()).optional(),
  servers: z.record(z.string(), OBJECT),
  needs: z.array(NEED).optional(),
  /** Fingerprints of tools, by server and tool. */
  lock: z.record(z.string(), z.record(z.string(), z.string())).optional(),
});

/** A file that can be used. */
export type Portable = z.infer<typeof FILE>;

/** Reads a file; refuses one with faults, naming them. */
export async function readPortable(path: string): Promise<Portable> {
  const document = await readJsonFile(path);
  if (!('format' in document))
    throw refuse(path, ['it is no exported file'], 'use thimble config migrate for a file with mcpServers');
  if (typeof document['version'] === 'number' && document['version'] > VERSION)
    throw refuse(path, ['it was written by a newer Thimble'], 'update this one');
  const parsed = FILE.safeParse(document);
  if (!parsed.success) throw refuse(path, parsed.error.issues.map(toFault), 'correct this');
  if (parsed.data.format === 'thimble-profile' && parsed.data.profile === undefined)
    throw refuse(path, ['profile: is required'], 'correct this');
  checkConfig(path, parsed.data);
  return parsed.data;
}

/** What it would be as a configuration of its own has to be a good one. */
function checkConfig(path: string, { settings, servers }: Portable): void {
  try {
    parseConfig(JSON.stringify({ ...settings, mcpServers: servers }), path, CONFIG_PARTS);
  } catch (error) {
    const faults = error instanceof GatewayError ? error.data['faults'] : undefined;
    if (!Array.isArray(faults)) throw error;
    const lines = faults.filter(isJsonObject).map((fault) => `${fault['path']}: ${fault['problem']}`);
    throw refuse(path, lines, 'correct this');
  }
}

const MAX_FAULTS = 10;

function toFault({ path, message }: z.core.$ZodIssue): string {
  return `${path.map(String).join('.').slice(0, 100) || 'the file'}: ${message.slice(0, 150)}`;
}

function refuse(path: string, faults: readonly string[], next: string): GatewayError {
  const more = faults.length > MAX_FAULTS ? ` and ${faults.length - MAX_FAULTS} more faults` : '';
  return new GatewayError(
    'FILE_REFUSED',
    `${toShown(path)} cannot be imported: ${faults.slice(0, MAX_FAULTS).join('; ')}${more}; ${next} and try again`,
    { data: { faults: [...faults.slice(0, MAX_FAULTS)] } },
  );
}
