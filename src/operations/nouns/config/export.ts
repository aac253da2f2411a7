/** `config export`: the configuration, or one profile of it, as a file without secrets. */
import { lstat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { ConfigContent } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { refusing } from '../../../errors/refusing.ts';
import { editFile, readText } from '../../../lib/edit-file.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findProfile, readServers } from '../../profiles/profile-tags.ts';
import { type DraftSecrets, draftSecrets, sealEach } from '../../secrets/draft-secrets.ts';
import { sealSecrets, secretsIn } from '../../secrets/secret-values.ts';
import { readManifests, toFingerprints } from '../../servers/known-manifests.ts';
import { toShown } from '../../shown/quote.ts';
import { type Portable, VERSION } from './portable.ts';
import { findNeeds, NEED } from './references.ts';
import { readJsonFile } from './sources.ts';

const INPUT = z.object({
  path: z.string().min(1).max(2_000).optional().describe('file or folder'),
  profile: z.string().min(1).max(200).optional().describe('only this profile'),
});

const OUTPUT = z.object({
  /** Where it was written. */
  path: z.string().optional(),
  /** The file itself, when no path was given. */
  document: z.record(z.string(), z.json()).optional(),
  servers: z.array(z.string()),
  needs: z.array(NEED),
  /** How many servers are locked to what they offer. */
  locked: z.int(),
});

/** Exports. */
export const exportConfig = defineOperation({
  noun: 'config',
  verb: 'export',
  summary: 'a portable file without secrets',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  words: ['path'],
  formerly: ['manage_config'],
  examples: [{}, { profile: 'work', path: 'work.json' }],
  async plan({ path, profile }, house) {
    if (path === undefined) return undefined;
    const file = await toPortable(house, profile);
    const target = await checkTarget(resolve(house.cwd, path));
    return {
      summary: `write ${target.path}`,
      details: [
        `${target.exists ? 'overwrite the export' : 'make the file'} ${target.path}`,
        `with the servers ${Object.keys(file.servers).join(', ') || '(none)'}, without secrets`,
      ],
    };
  },
  async run({ path, profile }, house) {
    const file = await toPortable(house, profile);
    const target = path === undefined ? undefined : await checkTarget(resolve(house.cwd, path));
    if (target) await refusing(target.path, 'written', () => editFile(target.path, () => toText(file)));
    return {
      ...(target ? { path: target.path } : { document: file as z.input<typeof OUTPUT>['document'] }),
      servers: Object.keys(file.servers),
      needs: file.needs ?? [],
      locked: Object.keys(file.lock ?? {}).length,
    };
  },
  toText({ path, document, servers, needs }) {
    if (document) return JSON.stringify(document, null, 2);
    const needed = needs.map(({ name }) => name).join(', ');
    return [
      `Wrote ${path} with ${servers.join(', ') || 'no servers'}; it holds no secret.`,
      ...(needed === '' ? [] : [`Whoever imports it needs: ${needed}`]),
      `Take it in elsewhere with: thimble config import ${path}`,
    ].join('\n');
  },
});

async function toPortable(house: House, profile: string | undefined): Promise<Portable> {
  const content = await house.config.read();
  const tagged = profile === undefined ? undefined : findProfile(readServers(content), profile).servers;
  const secrets = await draftSecrets(house);
  const isMeant = (name: string) =>
    !tagged || tagged.some((server) => !server.builtin && server.name === name);
  const servers = await sealServers(content, isMeant, profile, secrets);
  const settings = profile === undefined ? await toSettings(content, secrets) : undefined;
  const inside = tagged?.filter(({ builtin }) => builtin).map(({ name }) => name);
  const needs = findNeeds({ ...settings, mcpServers: servers });
  const lock = await toLock(house, content, isMeant);
  return {
    format: profile === undefined ? 'thimble-config' : 'thimble-profile',
    version: VERSION,
    ...(profile !== undefined && { profile }),
    ...(settings && { settings }),
    ...(inside && inside.length > 0 && { builtin: inside }),
    servers,
    needs: needs.map((need) => ({ ...need, for: [...need.for] })),
    lock,
  };
}

/** The entries with references for secrets; of one profile, only its own tag goes along. */
async function sealServers(
  { value }: ConfigContent,
  isMeant: (name: string) => boolean,
  profile: string | undefined,
  secrets: DraftSecrets,
): Promise<Record<string, JsonObject>> {
  const servers: [string, JsonObject][] = [];
  const { mcpServers } = value;
  for (const [name, entry] of Object.entries(isJsonObject(mcpServers) ? mcpServers : {})) {
    if (!isJsonObject(entry) || !isMeant(name)) continue;
    const sealed = await sealSecrets(name, entry, secrets, { known: secretsIn(entry) });
    servers.push([name, profile === undefined ? sealed : { ...sealed, tags: [profile] }]);
  }
  return Object.fromEntries(servers);
}

async function toSettings({ value }: ConfigContent, secrets: DraftSecrets): Promise<JsonObject> {
  const { mcpServers: _servers, $schema: _schema, builtin, ...rest } = value;
  return { ...rest, ...(builtin !== undefined && { builtin: await sealEach(builtin, secrets) }) };
}

async function toLock(
  house: House,
  { config }: ConfigContent,
  isMeant: (name: string) => boolean,
): Promise<Record<string, Record<string, string>>> {
  const upstreams = config.upstreams.filter(({ core, name }) => !core && isMeant(name));
  const manifests = await readManifests({ upstreams }, house);
  return Object.fromEntries(
    upstreams.flatMap(({ id, name }) => {
      const manifest = manifests.get(id);
      return manifest ? [[name, { ...toFingerprints(manifest) }] as const] : [];
    }),
  );
}

/** A new file, or an export of before; anything else of that name is somebody's. */
async function checkTarget(path: string): Promise<{ path: string; exists: boolean }> {
  const folder = await lstat(dirname(path)).catch(() => undefined);
  if (!folder) throw refuse(path, 'its directory is not there');
  const found = await lstat(path).catch(() => undefined);
  if (!found) return { path, exists: false };
  if (!found.isFile() || (await readText(path).catch(() => undefined)) === undefined)
    throw refuse(path, 'there is something else of that name');
  const document = await readJsonFile(path).catch(() => undefined);
  if (document && String(document['format']).startsWith('thimble-')) return { path, exists: true };
  throw refuse(path, 'there is a file of that name that is no export');
}

function refuse(path: string, why: string): GatewayError {
  return new GatewayError('FILE_REFUSED', `${toShown(path)} was not written: ${why}; choose another path`);
}

function toText(file: Portable): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
