/** Takes the servers of clients into the configuration: each once, checked, its secrets sealed. */
import type { ClientStatus } from '../../../clients/clients.ts';
import type { ConfigEdit } from '../../../config/config-file.ts';
import { startsThimble } from '../../../config/own-program.ts';
import { createResolver, refersToSecrets } from '../../../config/references.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { sealSecrets } from '../../secrets/secret-values.ts';
import { complete, findAdded, isSameServer } from './same-server.ts';

/** What becomes of one server of a client. */
export interface Import {
  readonly client: string;
  /** What the client calls it. */
  readonly server: string;
  readonly result: 'new' | 'known' | 'skipped';
  /** What it is called in the configuration. */
  readonly as?: string | undefined;
  /** Why it was skipped. */
  readonly reason?: string | undefined;
  /** Variables and headers of it that the entry of another client is given. */
  readonly adds?: string[] | undefined;
}

/** What an import comes to, before anything is written. */
export interface ImportPlan {
  readonly imports: readonly Import[];
  /** The entries to write, by their new names, with secrets as they are. */
  readonly entries: ReadonlyMap<string, JsonObject>;
}

/** An entry under its name, with its references resolved where that is possible. */
interface Known {
  readonly name: string;
  readonly entry: JsonObject;
  readonly resolved: JsonObject;
}

/** Works out an import; writes nothing. */
export async function planImport(clients: readonly ClientStatus[], house: House): Promise<ImportPlan> {
  const { value } = await house.config.read();
  const resolve = await createEntryResolver(value, house);
  const servers = value['mcpServers'];
  const present = Object.entries(isJsonObject(servers) ? servers : {}).flatMap(([name, entry]) =>
    isJsonObject(entry) ? [{ name, entry, resolved: resolve(entry) }] : [],
  );
  const added: Known[] = [];
  const imports: Import[] = [];
  for (const client of clients)
    for (const { name: server, entry, problem } of client.servers) {
      const about = { client: client.key, server };
      const reason = findReason(server, entry, problem);
      if (!entry || reason !== undefined) {
        imports.push({ ...about, result: 'skipped', reason });
        continue;
      }
      const resolved = resolve(entry);
      const same = (other: Known) => isSameServer(other.resolved, resolved);
      // What is configured stays as it is, so it has to have all that this one says.
      const known =
        present.find((other) => same(other) && findAdded(other.resolved, resolved).length === 0) ??
        added.find(same);
      if (known) {
        const adds = [...findAdded(known.resolved, resolved)];
        enrich(added, known, { entry, resolved });
        imports.push({ ...about, result: 'known', as: known.name, ...(adds.length > 0 && { adds }) });
        continue;
      }
      const as = toFreeName(server, client.key, new Set([...present, ...added].map(({ name }) => name)));
      const fault = await findFault([...added, { name: as, entry }], house);
      if (fault === undefined) added.push({ name: as, entry, resolved });
      imports.push(
        fault === undefined
          ? { ...about, result: 'new', as }
          : { ...about, result: 'skipped', reason: fault },
      );
    }
  return { imports, entries: new Map(added.map(({ name, entry }) => [name, entry])) };
}

/** Why a server of a client is left where it is; undefined when it can be used. */
function findReason(
  name: string,
  entry: JsonObject | undefined,
  problem: string | undefined,
): string | undefined {
  if (/\p{C}/u.test(name))
    return 'has a name with characters that cannot be seen; give it another name there';
  if (!entry) return problem ?? 'cannot be used outside its client';
  return startsThimble(entry) ? 'is Thimble itself' : undefined;
}

/** Carries an import out. */
export async function carryOut({ entries }: ImportPlan, house: House): Promise<void> {
  if (entries.size === 0) return;
  const secrets = await house.secrets();
  const saved: string[] = [];
  try {
    const edits: ConfigEdit[] = [];
    for (const [name, entry] of entries) {
      const sealed = await sealSecrets(name, entry, secrets);
      saved.push(...sealed.saved);
      edits.push({ path: ['mcpServers', name], value: sealed.entry });
    }
    await house.config.edit(({ value }) => {
      const servers = value['mcpServers'];
      const taken = [...entries.keys()].find((name) => isJsonObject(servers) && Object.hasOwn(servers, name));
      if (taken === undefined) return edits;
      throw new GatewayError(
        'NAME_TAKEN',
        `a server called "${taken}" was configured just now by somebody else; nothing was imported: try again`,
      );
    });
  } catch (error) {
    for (const name of saved) await secrets.remove(name);
    throw error;
  }
}

/** What one client left out, another may have: the entry to be written gets both. */
function enrich(added: Known[], known: Known, { entry, resolved }: Omit<Known, 'name'>): void {
  const at = added.indexOf(known);
  if (at < 0) return;
  added[at] = {
    name: known.name,
    entry: complete(known.entry, entry),
    resolved: complete(known.resolved, resolved),
  };
}

async function createEntryResolver(
  value: JsonObject,
  house: House,
): Promise<(entry: JsonObject) => JsonObject> {
  const secrets = refersToSecrets(value) ? await (await house.secrets()).all() : new Map<string, string>();
  const resolver = createResolver(house.env, () => secrets);
  return (entry) => {
    const resolution = resolver(entry);
    return resolution.ok ? resolution.options : entry;
  };
}

function toFreeName(name: string, client: string, taken: ReadonlySet<string>): string {
  for (let number = 0; ; number++) {
    const tried = number === 0 ? name : number === 1 ? `${name}-${client}` : `${name}-${client}-${number}`;
    if (!taken.has(tried)) return tried;
  }
}

/** What the configuration would say against an entry; told without values, which may be secret. */
async function findFault(
  entries: readonly Pick<Known, 'name' | 'entry'>[],
  house: House,
): Promise<string | undefined> {
  try {
    await house.config.preview(
      entries.map(({ name, entry }) => ({ path: ['mcpServers', name], value: entry })),
    );
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'CONFIG_INVALID')
      return 'does not fit the configuration';
    throw error;
  }
}
