/** Checks of the configuration and of each server in it: what it needs to start, and how it stands. */
import { createResolver, refersToSecrets } from '../../../../config/references.ts';
import { fromUnknown } from '../../../../errors/from-unknown.ts';
import { isJsonObject, type JsonObject } from '../../../../model/json.ts';
import type { Manifest } from '../../../../model/manifest.ts';
import type { UpstreamConfig } from '../../../../upstream/upstream.ts';
import type { House, RunningServer } from '../../../house.ts';
import { type Hide, readHide } from '../../../secrets/kept-values.ts';
import { findProgram } from '../../../servers/find-program.ts';
import { readManifests } from '../../../servers/known-manifests.ts';
import { isWell, pickProcess, toNextStep } from '../../../servers/pick-process.ts';
import { count } from '../../../shown/words.ts';
import { bad, type Check, type Finding, ok, warn } from '../check.ts';

/** Whether the configuration can be used. */
export const configuration: Check = {
  about: 'configuration',
  async look({ config }) {
    try {
      const { path, text } = await config.read();
      return [ok('configuration', text === undefined ? `none yet; it would be ${path}` : path)];
    } catch (error) {
      const says = fromUnknown(error).message;
      return [bad('configuration', says, 'correct the file; a running gateway keeps the last good one')];
    }
  },
};

/** What a look at servers goes by. */
interface Known {
  readonly house: House;
  readonly secrets: ReadonlyMap<string, string>;
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly running: readonly RunningServer[];
  readonly hide: Hide;
}

/** Whether each server that is switched on can start, and how it stands. */
export const servers: Check = {
  about: 'servers',
  async look(house) {
    const content = await house.config.read().catch(() => undefined);
    // What is wrong with the configuration is said by its own check.
    if (!content) return [];
    const enabled = content.config.upstreams.filter((upstream) => upstream.enabled);
    if (enabled.length === 0)
      return [warn('servers', 'none is configured', 'find one with thimble server search <what it is for>')];
    const known: Known = {
      house,
      secrets: await readSecrets(enabled, house),
      manifests: await readManifests({ upstreams: enabled }, house).catch(() => new Map<string, Manifest>()),
      running: await house.running.servers(),
      hide: await readHide(house),
    };
    return Promise.all(enabled.map((upstream) => lookAt(upstream, known)));
  },
};

/** The first thing that is wrong with a server; what comes after it often follows from it. */
async function lookAt(upstream: UpstreamConfig, known: Known): Promise<Finding> {
  const { id, core } = upstream;
  const about = `server ${id}`;
  const resolved = createResolver(known.house.env, () => known.secrets)(upstream.options);
  if (!resolved.ok) return toMissing(about, upstream, resolved.missing);
  const program = await findNoProgram(resolved.options, upstream, known.house);
  if (program !== undefined)
    return bad(
      about,
      `its program "${program}" is not to be found`,
      `install it, or correct its command: thimble server edit ${id} --command <program>`,
    );
  const shown = pickProcess(known.running.filter((server) => server.id === id));
  if (shown && !isWell(shown)) return toTrouble(about, upstream, shown, known.hide);
  if (!core && !known.manifests.has(id)) return toUnseen(about, id, known);
  const tools = known.manifests.get(id)?.lists.tool.length;
  const parts = [tools === undefined ? 'built in' : count(tools, 'tool'), ...(shown ? [shown.state] : [])];
  return ok(about, parts.join(', '));
}

/** It may have been tried just now without an answer, which is worth more than that there was none. */
function toUnseen(about: string, id: string, { running, hide }: Known): Finding {
  const error = running.find((server) => server.id === id && server.lastError)?.lastError;
  const says = error
    ? `did not answer when it was last tried (${hide(error.message)})`
    : 'no answer of it is known yet';
  return warn(about, says, `try it with thimble server test ${id}`);
}

/** How a value is given again to what refers to it. */
function toWay({ id, options }: UpstreamConfig, name: string): string {
  const refers = (value: unknown) => JSON.stringify(value ?? null).includes(`\${secret:${name}`);
  for (const member of ['env', 'headers']) {
    const members = options[member];
    const found = Object.entries(isJsonObject(members) ? members : {}).find(([, value]) => refers(value));
    if (found) return `thimble server edit ${id} --${member} ${found[0]}=<value>`;
  }
  return refers(options['url'])
    ? `thimble server edit ${id} --url <address>`
    : `thimble server edit ${id} --args <argument>`;
}

function toMissing(about: string, upstream: UpstreamConfig, missing: readonly string[]): Finding {
  const secrets = missing.filter((name) => name.startsWith('secret:')).map((name) => name.slice(7));
  const variables = missing.filter((name) => !name.startsWith('secret:'));
  const ways = [
    ...variables.map((name) => `set ${name} in the environment thimble is started with`),
    ...secrets.map((name) => `give the secret ${name} again: ${toWay(upstream, name)}`),
  ];
  return bad(about, `refers to ${missing.join(', ')}, which has no value`, ways.join('; '));
}

/** The command of a server whose program is not there; undefined when it is, or when it has none. */
async function findNoProgram(
  options: JsonObject,
  { kind }: UpstreamConfig,
  { env, cwd, machine }: House,
): Promise<string | undefined> {
  const { command, env: own } = options;
  if (kind !== 'stdio' || typeof command !== 'string') return undefined;
  const path = (isJsonObject(own) ? own['PATH'] : undefined) ?? env['PATH'];
  const found = await findProgram(command, {
    path: typeof path === 'string' ? path : undefined,
    endings: env['PATHEXT'],
    cwd: typeof options['cwd'] === 'string' ? options['cwd'] : cwd,
    platform: machine.platform,
  });
  return found === undefined ? command.slice(0, 200) : undefined;
}

function toTrouble(
  about: string,
  { id, kind }: UpstreamConfig,
  { state, says }: RunningServer,
  hide: Hide,
): Finding {
  return bad(about, says === '' ? `is ${state}` : hide(says), toNextStep({ id, kind, state }));
}

async function readSecrets(
  upstreams: readonly UpstreamConfig[],
  house: House,
): Promise<ReadonlyMap<string, string>> {
  if (!upstreams.some(({ options }) => refersToSecrets(options))) return new Map();
  // A store that does not open is reported by its own check; the servers then lack what it holds.
  return house.secrets().then(
    (secrets) => secrets.all().catch(() => new Map()),
    () => new Map(),
  );
}
