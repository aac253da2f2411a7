/** The `requestState` of results that need input: ours around the server's, bound to who asked what, for a while. */
import { GatewayError } from '../errors/gateway-error.ts';
import { createSeal, type Seal } from '../lib/seal.ts';
import { toDigest } from '../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { ParkTicket } from './parking.ts';

/** What a state stands for: a call parked here, or the state of a modern server. */
export type InputState =
  | { readonly kind: 'parked'; readonly ticket: ParkTicket }
  | { readonly kind: 'passed'; readonly state: string | undefined };

/** Makes and reads states. */
export interface InputStates {
  toState(state: InputState, request: StatefulRequest): string;
  /** Reads a state; throws when it was altered, is too old, or belongs to another caller or request. */
  fromState(text: string, request: StatefulRequest): InputState;
}

/** The request a state belongs to. */
export interface StatefulRequest {
  readonly principal: Principal;
  readonly endpoint: string;
  readonly method: string;
  readonly params: JsonObject;
}

interface Sealed {
  readonly state: InputState;
  readonly request: string;
}

const LIFETIME_MS = 10 * 60_000;

/** Creates states with a key of this process. */
export function createInputStates(seal: Seal<Sealed> = createSeal()): InputStates {
  return {
    toState: (state, request) => seal.seal({ state, request: toRequestDigest(request) }, LIFETIME_MS),
    fromState(text, request) {
      const opened = seal.open(text);
      if (opened && opened.request === toRequestDigest(request)) return opened.state;
      throw new GatewayError(
        'INVALID_PARAMS',
        'the requestState is not one of this request, or too old; make the call again',
      );
    },
  };
}

function toRequestDigest({ principal, endpoint, method, params }: StatefulRequest): string {
  const { name, uri, arguments: args } = params;
  return toDigest(
    toCanonicalJson([principal.id, endpoint, method, name ?? null, uri ?? null, args ?? null]),
    32,
  );
}
