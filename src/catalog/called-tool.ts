/** Notes calls of tools as they end, for whoever keeps account of them. */
import type { Clock } from '../lib/clock.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';

/** One call of a tool that is over. */
export interface CalledTool {
  readonly principal: Principal;
  readonly upstream: UpstreamId;
  /** What its upstream calls it. */
  readonly tool: string;
  readonly ms: number;
  /** What it answered; undefined when there was no result. */
  readonly result: JsonObject | undefined;
}

/** Hears of calls; takes note and returns at once. */
export type OnCalled = (call: CalledTool) => void;

/** Passes an answer on as it is, and tells of it. */
export async function watchCall(
  answer: Promise<JsonObject>,
  { principal, upstream, tool }: Pick<CalledTool, 'principal' | 'upstream' | 'tool'>,
  clock: Clock,
  tell: OnCalled,
): Promise<JsonObject> {
  const started = clock.now();
  try {
    const result = await answer;
    tell({ principal, upstream, tool, ms: clock.now() - started, result });
    return result;
  } catch (error) {
    tell({ principal, upstream, tool, ms: clock.now() - started, result: undefined });
    throw error;
  }
}
