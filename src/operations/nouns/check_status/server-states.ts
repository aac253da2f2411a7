/** How each configured server stands: as running processes tell it, or as far as is known while none runs. */
import type { UpstreamConfig } from '../../../upstream/upstream.ts';
import type { House, RunningServer } from '../../house.ts';
import { readHide } from '../../secrets/kept-values.ts';
import { readManifests } from '../../servers/known-manifests.ts';

/** One server. */
export interface ServerState {
  readonly name: string;
  readonly state: string;
  /** What is wrong and what comes next, as the end of a sentence that begins with its name; empty when all is well. */
  readonly says: string;
  readonly ok: boolean;
  /** How many tools it offers, where that is known. */
  readonly tools?: number;
}

/** Something that went wrong lately. */
export interface LastError {
  readonly name: string;
  readonly message: string;
  readonly agoMs: number;
}

const WELL: ReadonlySet<string> = new Set(['online', 'idle', 'connecting', 'discovering', 'disabled']);
const MAX_ERRORS = 5;
const MAX_MESSAGE = 300;

/** What is known of the servers. */
export interface ServerReport {
  readonly servers: readonly ServerState[];
  readonly errors: readonly LastError[];
}

/** Reads it; a store that does not open costs no more than what it would have told. */
export async function readServerStates(
  upstreams: readonly UpstreamConfig[],
  house: House,
): Promise<ServerReport> {
  const running = await house.running.servers();
  const hideAll = await readHide(house);
  const hide = (text: string) => hideAll(text).slice(0, MAX_MESSAGE);
  const manifests = await readManifests({ upstreams }, house).catch(() => new Map<string, never>());
  const servers = upstreams.map(({ id, enabled, disabledTools = [] }): ServerState => {
    const off = new Set(disabledTools);
    const tools = manifests.get(id)?.lists.tool.filter(({ name }) => !off.has(String(name))).length;
    const known = tools === undefined ? {} : { tools };
    if (!enabled) return { name: id, state: 'disabled', says: '', ok: true, ...known };
    const shown = findWorst(running.filter((server) => server.id === id));
    if (!shown) return { name: id, state: 'not running', says: '', ok: true, ...known };
    const ok = WELL.has(shown.state);
    return { name: id, state: shown.state, says: ok ? '' : hide(shown.says), ok, ...known };
  });
  const errors = running
    .flatMap(({ id, lastError }) => (lastError ? [{ name: id, ...lastError }] : []))
    .map((error) => ({ ...error, message: hide(error.message) }))
    .sort((a, b) => a.agoMs - b.agoMs)
    .slice(0, MAX_ERRORS);
  return { servers, errors };
}

/** Where several processes have it, the one in trouble counts. */
function findWorst(servers: readonly RunningServer[]): RunningServer | undefined {
  return servers.find(({ state }) => !WELL.has(state)) ?? servers[0];
}
