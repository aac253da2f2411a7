/** Keeps a running call while its modern client goes and gets the input a legacy server asked for. */

import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors/gateway-error.ts';
import { type CancelSignal, createCancel } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { ClientPort } from '../model/call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { ClientCall } from './session.ts';

/** Names one parked call and how often it has asked. */
export interface ParkTicket {
  readonly park: string;
  readonly round: number;
}

/** What a call has come to: its answer, or questions for the client and the ticket to come back with. */
export type Step =
  | { readonly kind: 'answer'; readonly result: JsonObject }
  | { readonly kind: 'questions'; readonly inputRequests: JsonObject; readonly ticket: ParkTicket };

/** Runs a call with a way back to its client and a signal that outlives single requests. */
export type StartCall = (client: ClientPort, signal: CancelSignal) => Promise<JsonObject>;

/** The parked calls of a gateway. */
export interface Parking {
  /** Starts a call and runs it until it is answered or asks. */
  start(owner: string, call: ClientCall, start: StartCall): Promise<Step>;
  /** Takes a parked call up again with what its client brought. */
  resume(owner: string, ticket: ParkTicket, answers: JsonObject, call: ClientCall): Promise<Step>;
  readonly size: number;
}

/** How long a client may take to come back. */
const PARK_MS = 10 * 60_000;
/** More calls than this do not wait at once. */
const MAX_PARKED = 1_000;

/** Creates an empty parking. */
export function createParking(clock: Clock): Parking {
  const parked = new Map<string, ParkedCall>();

  /** Goes on until there is an answer or a question, for as long as the client's request lasts. */
  async function step(id: string, parkedCall: ParkedCall, call: ClientCall): Promise<Step> {
    try {
      const next = await parkedCall.next();
      if (next.kind === 'answer') {
        parked.delete(id);
        return next;
      }
      if (parked.size >= MAX_PARKED && !parked.has(id)) {
        parkedCall.abandon(new GatewayError('TOO_BUSY', 'too many calls wait for input; try again later'));
        throw new GatewayError('TOO_BUSY', `${MAX_PARKED} calls wait for input already; try again later`);
      }
      parked.set(id, parkedCall);
      parkedCall.expire(clock, PARK_MS, () => parked.delete(id));
      return {
        kind: 'questions',
        inputRequests: next.inputRequests,
        ticket: { park: id, round: next.round },
      };
    } catch (error) {
      parked.delete(id);
      throw error;
    } finally {
      parkedCall.detach(call);
    }
  }

  return {
    start: (owner, call, start) => step(randomUUID(), new ParkedCall(owner, call, start), call),
    resume(owner, { park, round }, answers, call) {
      const parkedCall = parked.get(park);
      // Whoever brings another's ticket learns no more than one who brings an old one.
      if (!parkedCall || parkedCall.owner !== owner || parkedCall.round !== round) {
        throw new GatewayError(
          'INVALID_PARAMS',
          'the call this requestState belongs to has ended; make the call again',
        );
      }
      parkedCall.attach(call);
      parkedCall.answer(answers);
      return step(park, parkedCall, call);
    },
    get size() {
      return parked.size;
    },
  };
}

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
}

type Next =
  | { readonly kind: 'answer'; readonly result: JsonObject }
  | { readonly kind: 'questions'; readonly inputRequests: JsonObject; readonly round: number };

class ParkedCall {
  readonly owner: string;
  readonly #outcome: Promise<Next>;
  readonly #cancel = createCancel();
  readonly #questions = new Map<string, Question>();
  #attached: ClientCall | undefined;
  #wake: (() => void) | undefined;
  #cancelExpiry: CancelTimer | undefined;
  #asked = 0;
  #round = 0;

  /** Starts the call with a client already attached, since it may have news at once. */
  constructor(owner: string, call: ClientCall, start: StartCall) {
    this.owner = owner;
    this.attach(call);
    const client: ClientPort = {
      notify: (method, params) => this.#attached?.client.notify(method, params),
      ask: (method, params, signal) => this.#ask(method, params, signal),
    };
    this.#outcome = start(client, this.#cancel.signal).then((result) => ({ kind: 'answer', result }));
    // A call may fail while nobody is attached; whoever comes back hears of it.
    this.#outcome.catch(() => {});
  }

  get round(): number {
    return this.#round;
  }

  attach(call: ClientCall): void {
    this.#cancelExpiry?.();
    this.#attached = call;
    call.signal.addEventListener('abort', this.#onGone, { once: true });
    if (call.signal.aborted) this.#onGone();
  }

  detach(call: ClientCall): void {
    call.signal.removeEventListener('abort', this.#onGone);
    if (this.#attached === call) this.#attached = undefined;
  }

  async next(): Promise<Next> {
    const asked = new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#questions.size > 0) resolve();
    });
    return Promise.race([this.#outcome, asked.then(gatherMore).then(() => this.#toQuestions())]);
  }

  /** Hands over what the client brought; questions it left open are asked again. */
  answer(answers: JsonObject): void {
    for (const [key, { resolve }] of this.#questions) {
      const answer: JsonValue | undefined = answers[key];
      if (!isJsonObject(answer)) continue;
      this.#questions.delete(key);
      resolve(answer);
    }
  }

  expire(clock: Clock, afterMs: number, onExpired: () => void): void {
    this.#cancelExpiry = clock.after(afterMs, () => {
      this.abandon(new GatewayError('CALL_CANCELLED', 'the client did not come back with the input in time'));
      onExpired();
    });
  }

  abandon(reason: GatewayError): void {
    this.#cancel.abort(reason);
  }

  readonly #onGone = () => this.abandon(new GatewayError('CALL_CANCELLED', 'the client went away'));

  #ask(method: string, params: JsonObject, signal: CancelSignal | undefined): Promise<JsonObject> {
    const signals = [signal, this.#cancel.signal].filter((each) => each !== undefined);
    const raised = signals.find(({ aborted }) => aborted);
    if (raised) return Promise.reject(raised.reason);
    this.#asked += 1;
    const key = `q${this.#asked}`;
    return new Promise<JsonObject>((resolve, reject) => {
      const withdraw = () => {
        if (this.#questions.delete(key)) reject(signals.find(({ aborted }) => aborted)?.reason);
      };
      const settle = (answer: JsonObject) => {
        for (const each of signals) each.removeEventListener('abort', withdraw);
        resolve(answer);
      };
      for (const each of signals) each.addEventListener('abort', withdraw, { once: true });
      this.#questions.set(key, { method, params, resolve: settle });
      this.#wake?.();
    });
  }

  #toQuestions(): Next {
    this.#round += 1;
    const entries = [...this.#questions].map(
      ([key, { method, params }]) => [key, { method, params }] as const,
    );
    return { kind: 'questions', inputRequests: Object.fromEntries(entries), round: this.#round };
  }
}

/** Questions asked in one breath go to the client in one round. */
function gatherMore(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
