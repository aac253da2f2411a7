/** Tells a client that asked for progress that its call waits for a server to start. */
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { CallContext, ClientPort } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { progressTokenOf } from './envelope.ts';

/** News of a start, for as long as it is waited for. */
export interface StartNews {
  /** The call as it goes on: what the server reports comes after what was told here. */
  readonly call: CallContext;
  stop(): void;
}

const PROGRESS = 'notifications/progress';
const EVERY_MS = 2_000;
/** So small that whatever a server counts in is larger. */
const STEP = 1e-6;

/** Starts to tell; undefined when the caller did not ask for progress. */
export function tellStart(
  params: JsonObject,
  call: CallContext,
  name: string,
  clock: Clock,
): StartNews | undefined {
  const progressToken = progressTokenOf(params);
  if (progressToken === undefined) return undefined;
  const { client } = call;
  let last = 0;
  let cancelTimer: CancelTimer = () => {};

  function tell(): void {
    last += STEP;
    client.notify(PROGRESS, { progressToken, progress: last, message: `starting ${name}` });
    wait();
  }

  function wait(): void {
    cancelTimer = clock.after(EVERY_MS, tell);
  }

  wait();
  return {
    call: { ...call, client: toLifted(client, () => last) },
    stop: () => cancelTimer(),
  };
}

/** Progress may only grow: a server that begins at 0 is lifted over what was told before. */
function toLifted(client: ClientPort, floor: () => number): ClientPort {
  const ask: ClientPort['ask'] =
    client.ask && ((method, params, signal) => client.ask?.(method, params, signal) ?? Promise.resolve({}));
  return {
    ...(ask && { ask }),
    notify(method, params) {
      const { progress } = params;
      const isLow = method === PROGRESS && typeof progress === 'number' && floor() > 0 && progress <= floor();
      client.notify(method, isLow ? { ...params, progress: floor() + STEP } : params);
    },
  };
}
