/** How each configured server stands: as running processes tell it, or as far as is known while none runs. */
import type { UpstreamConfig } from '../../../upstream/upstream.ts';
import type { House } from '../../house.ts';
import { readHide } from '../../secrets/kept-values.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import { isResting, isWell, pickEach, toNextStep } from '../../servers/pick-process.ts';

/** One server. */
export interface ServerState {
  readonly name: string;
  readonly state: string;
  /** What is wrong and what comes next, as the end of a sentence that begins with its name; empty when all is well. */
  readonly says: string;
  readonly ok: boolean;
  /** False when it does not run and is not known to have answered: then nobody can say that it is well. */
  readonly seen: boolean;
  /** What a person does about it; empty when all is well. */
  readonly next: string;
  /** How many tools it offers, where that is known. */
  readonly tools?: number;
}

/** Something that went wrong lately. */
export interface LastError {
  readonly name: string;
  readonly message: string;
  readonly agoMs: number;
}

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
  const picked = pickEach(running);
  const hideAll = await readHide(house);
  const hide = (text: string) => hideAll(text).slice(0, MAX_MESSAGE);
  const manifests = await readManifests({ upstreams }, house).catch(() => undefined);
  const servers = upstreams.map(({ id, kind, enabled, disabledTools = [] }): ServerState => {
    const off = new Set(disabledTools);
    const manifest = manifests?.get(id);
    const tools = manifest?.lists.tool.filter(({ name }) => !off.has(String(name))).length;
    const known = tools === undefined ? {} : { tools };
    const well = { name: id, says: '', ok: true, seen: true, next: '', ...known };
    if (!enabled) return { ...well, state: 'disabled' };
    const shown = picked.get(id);
    // What is built in is part of us and needs no answer; a store that does not open is no silence of theirs.
    const seen = kind === 'builtin' || manifests === undefined || manifest !== undefined;
    if (!shown) return { ...well, state: 'not running', seen };
    const { state, says } = shown;
    if (isWell(shown)) return { ...well, state, seen: seen || !isResting(shown) };
    return { ...well, state, says: hide(says), ok: false, next: toNextStep({ id, kind, state }) };
  });
  const errors = running
    .flatMap(({ id, lastError }) => (lastError ? [{ name: id, ...lastError }] : []))
    .map((error) => ({ ...error, message: hide(error.message) }))
    .sort((a, b) => a.agoMs - b.agoMs)
    .slice(0, MAX_ERRORS);
  return { servers, errors };
}
