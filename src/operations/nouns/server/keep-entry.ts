/** Writes an entry to the configuration: tried first, its secrets sealed, and all or nothing of it is kept. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { createResolver } from '../../../config/references.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue, toCanonicalJson } from '../../../model/json.ts';
import type { Manifest } from '../../../model/manifest.ts';
import { toInstanceKey } from '../../../upstream/instance-key.ts';
import type { UpstreamConfig } from '../../../upstream/upstream.ts';
import type { House } from '../../house.ts';
import { sealSecrets, secretNamesIn } from '../../secrets/secret-values.ts';
import { type Probe, probe } from '../../servers/probe.ts';
import { matchConfigured } from '../../servers/server-entries.ts';
import { toProgramFolder } from './download.ts';

/** An entry to keep. */
export interface Keeping {
  readonly name: string;
  readonly entry: JsonObject;
  /** The name of the entry it takes the place of. */
  readonly replaces?: string | undefined;
  /** Values that are secret whatever they look like. */
  readonly secretValues?: readonly string[];
  /** Values that everybody knows, whatever they look like. */
  readonly openValues?: readonly string[];
  /** False writes it without trying it. */
  readonly verify: boolean;
  /** What was to be done, as in `was not installed`. */
  readonly done: string;
  /** What to do when it does not work. */
  readonly wayOut: string;
}

/** What came of it. */
export interface Kept {
  readonly path: string;
  /** Undefined when it was not tried, or waits for a login. */
  readonly tools: readonly string[] | undefined;
  readonly needsLogin: boolean;
}

const LAST_WORDS = 5;

/** The way out where the trial may be left out. */
export const UNTESTED_WAY_OUT = 'mend what it names, or leave the trial out with --untested';

/** Tries and keeps an entry; throws INSTALL_FAILED and leaves everything as it was when it does not work. */
export async function keepEntry(keeping: Keeping, house: House): Promise<Kept> {
  const { name, entry, verify } = keeping;
  if (verify) house.tell(`starting ${name} once to see what it offers`);
  const seen = verify ? await probe(name, entry, house) : undefined;
  if (seen && !seen.ok && !seen.needsLogin) throw toFailure(keeping, seen);
  const before = await house.config.read();
  const secrets = await house.secrets();
  const sealed = await sealSecrets(name, entry, secrets, keeping.secretValues, keeping.openValues);
  let path: string;
  try {
    await checkKept(sealed.saved, house);
    ({ path } = await house.config.edit((content) => toEdits(content, keeping, sealed.entry)));
  } catch (error) {
    for (const saved of sealed.saved) await secrets.remove(saved);
    throw error;
  }
  if (keeping.replaces !== undefined) await forgetReplaced(before, keeping.replaces, house);
  const after = matchConfigured(await house.config.read(), name)?.upstream;
  // What cannot be remembered is looked at again.
  if (after && seen?.ok) await remember(after, seen.manifest, house).catch(() => {});
  return {
    path,
    tools: seen?.ok ? seen.tools.map((tool) => tool.name) : undefined,
    needsLogin: seen !== undefined && !seen.ok,
  };
}

/** A reference to a value that ends with this process would be worth nothing. */
async function checkKept(saved: readonly string[], house: House): Promise<void> {
  const { degraded } = await house.store();
  if (saved.length > 0 && degraded !== undefined)
    throw new GatewayError('STORE_UNAVAILABLE', `its secrets could not be kept: ${degraded}`);
}

/** Forgets the secrets and the program of an entry that nothing in the configuration refers to any more. */
export async function forgetUnused(entry: JsonObject, house: House): Promise<readonly string[]> {
  const { value } = await house.config.read();
  const used = new Set(secretNamesIn(value));
  const unused = secretNamesIn(entry).filter((name) => !used.has(name));
  const secrets = await house.secrets();
  for (const name of unused) await secrets.remove(name);
  const { command } = entry;
  const isOurs = typeof command === 'string' && dirname(command) === toProgramFolder(house);
  if (isOurs && !JSON.stringify(value).includes(JSON.stringify(command))) await rm(command, { force: true });
  return unused;
}

/** The key under which what was seen of a server is kept. */
export async function findInstanceKey(
  { kind, options }: Pick<UpstreamConfig, 'kind' | 'options'>,
  house: House,
): Promise<string> {
  const secrets = await (await house.secrets()).all();
  const resolved = createResolver(house.env, () => secrets)(options);
  return toInstanceKey(kind, resolved.ok ? resolved.options : options);
}

/** Keeps what was seen of a server, so that lists are complete at once without starting it again. */
export async function remember(upstream: UpstreamConfig, manifest: Manifest, house: House): Promise<void> {
  const { manifests } = await house.store();
  await manifests.save(await findInstanceKey(upstream, house), upstream.id, manifest);
}

async function forgetReplaced({ value }: ConfigContent, name: string, house: House): Promise<void> {
  const servers = value['mcpServers'];
  const old = isJsonObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (isJsonObject(old)) await forgetUnused(old, house);
}

/** The smallest edits that make one entry of the other, so that comments beside what stays survive. */
export function toEdits(
  content: ConfigContent,
  { name, replaces }: Pick<Keeping, 'name' | 'replaces'>,
  entry: JsonObject,
): readonly ConfigEdit[] {
  const servers = content.value['mcpServers'];
  const has = (key: string) => isJsonObject(servers) && Object.hasOwn(servers, key);
  if (has(name) && name !== replaces) throw taken(name);
  const at = ['mcpServers', name];
  const old = isJsonObject(servers) && has(name) ? servers[name] : undefined;
  if (isJsonObject(old)) return toMemberEdits(at, old, entry, 2);
  const gone =
    replaces !== undefined && has(replaces) ? [{ path: ['mcpServers', replaces], value: undefined }] : [];
  return [...gone, { path: at, value: entry }];
}

/** Somebody else has the name. */
export function taken(name: string): GatewayError {
  return new GatewayError(
    'NAME_TAKEN',
    `a server called ${name} is configured already; give another name, or --force to replace it`,
  );
}

function toMemberEdits(
  at: readonly string[],
  before: JsonObject,
  after: JsonObject,
  depth: number,
): readonly ConfigEdit[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly ConfigEdit[] => {
    const [old, value] = [before[key], after[key]];
    if (toCanonicalJson(old) === toCanonicalJson(value)) return [];
    if (depth > 1 && isJsonObject(old) && isJsonObject(value))
      return toMemberEdits([...at, key], old, value, depth - 1);
    return [{ path: [...at, key], value: value as JsonValue | undefined }];
  });
}

function toFailure(
  { name, done, wayOut }: Keeping,
  { problem, stderr }: Extract<Probe, { ok: false }>,
): GatewayError {
  const words = stderr.slice(-LAST_WORDS).map((line) => line.slice(0, 200));
  const said = words.length > 0 ? ` It last wrote: ${words.join(' | ')}.` : '';
  return new GatewayError(
    'INSTALL_FAILED',
    `${name} was not ${done}: it failed when it was tried (${problem.slice(0, 600)}).${said} Nothing was changed; ${wayOut}.`,
    { data: { problem, stderr: [...stderr] } },
  );
}
