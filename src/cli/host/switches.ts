/** Which servers a client has switched on in its conversation, as far as its own calls tell. */
import { WORDS } from '../../exposure/activate/definitions.ts';
import { toOwnName } from '../../exposure/own-names.ts';
import { isJsonObject } from '../../model/json.ts';
import type { Message } from '../../wire/message.ts';

/** The tools that switch servers on and off, by the names clients call. */
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

/** A client that makes more of such calls than this is not given all of it back. */
const MAX_CALLS = 500;

/** The names at an address; none where one server is shown with its own names, which may be the same. */
export function toSwitchNames(path: string, namespace: string): SwitchNames | undefined {
  if (path.startsWith('/s/')) return undefined;
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

function toCall(message: Message, { on, off }: SwitchNames): Call | undefined {
  if (!('method' in message) || message.method !== 'tools/call') return undefined;
  const { name, arguments: args } = message.params ?? {};
  const server = isJsonObject(args) ? args['server'] : undefined;
  if ((name !== on && name !== off) || typeof server !== 'string') return undefined;
  return { name, server, message };
}

/** One server may be called by several names, so a call that switches off is made again as well. */
function withCall(calls: readonly Call[], call: Call, { on, off }: SwitchNames): readonly Call[] {
  if (call.name === off) return [...calls.filter(({ server }) => server !== call.server), call];
  const lastOff = calls.findLastIndex(({ name }) => name === off);
  // What is on already keeps its place.
  const isOn = calls.some(({ name, server }, at) => at > lastOff && name === on && server === call.server);
  return isOn ? calls : [...calls, call];
}
