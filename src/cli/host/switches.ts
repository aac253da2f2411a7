/** Which servers a client has switched on in its conversation, as far as its own calls tell. */
import type { Config } from '../../config/config.ts';
import { WORDS } from '../../exposure/activate/definitions.ts';
import { activate } from '../../exposure/activate/mode.ts';
import { toOwnName } from '../../exposure/own-names.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { isRequest, type Message } from '../../wire/message.ts';

/** The tools that switch servers on and off, by their whole names. */
export interface SwitchNames {
  readonly on: string;
  readonly off: string;
}

/** The calls that lead to what is switched on. */
export interface Switches {
  /** Notes a call of one of the two tools; false for everything else. */
  hear(message: Message): boolean;
  /** The calls to make again, in order. */
  readonly calls: readonly Message[];
}

interface Call {
  readonly name: string;
  readonly server: string;
  readonly message: Message;
}

/** A client that makes more of such calls than this, or longer ones, is not given all of it back. */
const MAX_CALLS = 500;
const MAX_NAME = 200;
const MAX_META = 10_000;

/** Where the mode with the two tools is, whatever the configured one becomes. */
export const SWITCHING_PATH: string = `/mcp/${activate.name}`;

/** The names at an address; none where another mode answers, in which they may be those of a server's tools. */
export function toSwitchNames(
  path: string,
  {
    namespace,
    exposure,
  }: Pick<Config, 'namespace'> & { readonly exposure: Pick<Config['exposure'], 'mode'> },
): SwitchNames | undefined {
  if (path !== SWITCHING_PATH && !(path === '/mcp' && exposure.mode === activate.name)) return undefined;
  return { on: toOwnName(namespace, WORDS.activate), off: toOwnName(namespace, WORDS.deactivate) };
}

/** Creates an empty note. */
export function createSwitches(names: SwitchNames | undefined): Switches {
  let calls: readonly Call[] = [];
  return {
    hear(message) {
      const call = names && toCall(message, names);
      if (!call || !names) return false;
      calls = withCall(calls, call, names).slice(-MAX_CALLS);
      return true;
    },
    get calls() {
      return calls.map(({ message }) => message);
    },
  };
}

function toCall(message: Message, names: SwitchNames): Call | undefined {
  if (!isRequest(message) || message.method !== 'tools/call') return undefined;
  const { name: said, arguments: args, _meta } = message.params ?? {};
  const name = toWholeName(said, names);
  const server = isJsonObject(args) ? args['server'] : undefined;
  if (name === undefined || typeof server !== 'string' || server.length > MAX_NAME) return undefined;
  const meta = toKeptMeta(_meta);
  if (JSON.stringify(meta).length > MAX_META) return undefined;
  const params = { name, arguments: { server }, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  // Whoever says it again gives it an id.
  return { name, server, message: { jsonrpc: '2.0', id: 0, method: message.method, params } };
}

/** A server's own tool may have the bare word for a name; said again with the whole one, a call can never reach it. */
function toWholeName(said: JsonValue | undefined, { on, off }: SwitchNames): string | undefined {
  if (said === on || said === WORDS.activate) return on;
  return said === off || said === WORDS.deactivate ? off : undefined;
}

/** What a modern client says of itself with every request; nobody waits for progress any more. */
function toKeptMeta(meta: JsonValue | undefined): JsonObject {
  if (!isJsonObject(meta)) return {};
  const { progressToken: _progressToken, ...kept } = meta;
  return kept;
}

/** One server may be called by several names, so a call that switches off is made again as well. */
function withCall(calls: readonly Call[], call: Call, { on, off }: SwitchNames): readonly Call[] {
  if (call.name === off) return [...calls.filter(({ server }) => server !== call.server), call];
  const lastOff = calls.findLastIndex(({ name }) => name === off);
  // What is on already keeps its place.
  const isOn = calls.some(({ name, server }, at) => at > lastOff && name === on && server === call.server);
  return isOn ? calls : [...calls, call];
}
