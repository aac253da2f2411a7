/** Writes an entry to the configuration: tried first, its secrets sealed, and all or nothing of it is kept. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { createResolver } from '../../../config/references.ts';
import { readOtherConfigurations } from '../../../config/trust.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../../../model/json.ts';
import type { Manifest } from '../../../model/manifest.ts';
import { toInstanceKey } from '../../../upstream/instance-key.ts';
import type { UpstreamConfig } from '../../../upstream/upstream.ts';
import type { House } from '../../house.ts';
import { isStillToDo } from '../../intake/intake.ts';
import { draftSecrets } from '../../secrets/draft-secrets.ts';
import { forgetUnused } from '../../secrets/forget-secrets.ts';
import { sealSecrets, secretNamesIn } from '../../secrets/secret-values.ts';
import { inTurn } from '../../secrets/secrets-turn.ts';
import { toToolNames } from '../../servers/known-manifests.ts';
import { type Probe, probe } from '../../servers/probe.ts';
import { matchConfigured } from '../../servers/server-entries.ts';
import { toProgramFolder } from './download.ts';

/** An entry to keep. */
export interface Keeping {
  readonly name: string;
  readonly entry: JsonObject;
  /** The entry it takes the place of, as it was when this one was made of it. */
  readonly replaces?: { readonly name: string; readonly entry: JsonObject } | undefined;
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
  const secrets = await draftSecrets(house);
  const { secretValues: known = [], openValues: open = [] } = keeping;
  const sealed = await sealSecrets(name, entry, secrets, { known, open });
  const { path, before } = await secrets.saveFor(sealed, () => write(keeping, sealed, house));
  if (keeping.replaces) await forgetReplaced(before, keeping.replaces.name, house);
  const after = matchConfigured(await house.config.read(), name)?.upstream;
  if (after && seen?.ok) await remember(after, seen.manifest, house);
  return {
    path,
    tools: seen?.ok ? toToolNames(seen.manifest) : undefined,
    needsLogin: seen !== undefined && !seen.ok,
  };
}

/** Writes it, and says what was there at that moment. */
async function write(
  keeping: Keeping,
  entry: JsonObject,
  house: House,
): Promise<{ readonly path: string; readonly before: JsonObject }> {
  let before: JsonObject = {};
  const { path } = await house.config.edit((content) => {
    before = content.value;
    return toEdits(content, keeping, entry);
  });
  return { path, before };
}

/** Forgets the secrets and the program of an entry that nothing refers to any more; gives the names of the secrets. */
export async function forgetEntry(entry: JsonObject, house: House): Promise<readonly string[]> {
  const forgotten = await forgetUnused(secretNamesIn(entry), house);
  const { command } = entry;
  if (typeof command === 'string' && dirname(command) === toProgramFolder(house))
    await inTurn(house, () => removeProgram(command, house));
  return forgotten;
}

async function removeProgram(command: string, house: House): Promise<void> {
  const { path, value } = await house.config.read();
  const others = await readOtherConfigurations(path, house);
  const isUsed = [JSON.stringify(value), ...(others ?? [])].some((text) =>
    text.includes(JSON.stringify(command)),
  );
  if (others && !isUsed) await rm(command, { force: true });
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

/** Keeps what was seen of a server where that is possible, so that lists are complete at once without starting it again. */
export async function remember(upstream: UpstreamConfig, manifest: Manifest, house: House): Promise<void> {
  try {
    const { manifests } = await house.store();
    await manifests.save(await findInstanceKey(upstream, house), upstream.id, manifest);
  } catch {
    // What cannot be remembered is looked at again.
  }
}

async function forgetReplaced(before: JsonObject, name: string, house: House): Promise<void> {
  const servers = before['mcpServers'];
  const old = isJsonObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (isJsonObject(old)) await forgetEntry(old, house);
}

/** The smallest edits that bring in what is new of an entry: comments survive, and so does what others changed meanwhile. */
function toEdits(
  content: ConfigContent,
  { name, replaces }: Pick<Keeping, 'name' | 'replaces'>,
  entry: JsonObject,
): readonly ConfigEdit[] {
  const servers = content.value['mcpServers'];
  const find = (key: string) =>
    isJsonObject(servers) && Object.hasOwn(servers, key) ? servers[key] : undefined;
  if (find(name) !== undefined && name !== replaces?.name) throw taken(name);
  const at = ['mcpServers', name];
  if (!replaces) return [{ path: at, value: entry }];
  const now = find(replaces.name);
  if (!isJsonObject(now)) throw gone(replaces.name);
  const changes = toMemberEdits(replaces.entry, entry).filter(({ path, value }) =>
    isStillToDo(
      { path: ['mcpServers', replaces.name, ...path], value },
      { mcpServers: { [replaces.name]: replaces.entry } },
      content.value,
      content.path,
    ),
  );
  const moved =
    name === replaces.name
      ? []
      : [
          { path: ['mcpServers', replaces.name], value: undefined },
          { path: at, value: now },
        ];
  return [...moved, ...changes.map(({ path, value }) => ({ path: [...at, ...path], value }))];
}

function gone(name: string): GatewayError {
  return new GatewayError(
    'NAME_UNKNOWN',
    `${name} was taken out of the configuration in the meantime, so nothing was written; configure it anew with thimble server create`,
  );
}

/** Somebody else has the name. */
export function taken(name: string): GatewayError {
  return new GatewayError(
    'NAME_TAKEN',
    `a server called ${name} is configured already; give another name, or --force to replace it`,
  );
}

function toMemberEdits(before: JsonObject, after: JsonObject, depth = 2): readonly ConfigEdit[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly ConfigEdit[] => {
    const [old, value] = [before[key], after[key]];
    if (isSameJson(old, value)) return [];
    if (depth > 1 && isJsonObject(old) && isJsonObject(value))
      return toMemberEdits(old, value, depth - 1).map((edit) => ({ ...edit, path: [key, ...edit.path] }));
    return [{ path: [key], value }];
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
