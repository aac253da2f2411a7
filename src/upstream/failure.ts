/** How an attempt or a link fails, and what that means for the state of its upstream. */
import { GatewayError, type RpcError } from '../errors/gateway-error.ts';

/** Where failures that may pass by themselves lead. */
export const FAILED = { miss: 'offline', lose: 'restarting', trip: 'failed' } as const;

/** What a failure is, by the code of its error and by what came before; `soon` when the next attempt is near. */
export function toMove(
  { code }: Pick<GatewayError | RpcError, 'code'>,
  wasLive: boolean,
  isOpen: boolean,
  soon: boolean,
): 'refuse' | 'trip' | 'lose' | 'miss' | 'confuse' {
  if (code === 'UPSTREAM_EXITED' && isOpen) return 'trip';
  if (wasLive) return soon ? 'lose' : 'miss';
  if (code === 'UPSTREAM_AUTH') return 'refuse';
  const isAnswer = typeof code === 'number' || code === 'UPSTREAM_PROTOCOL' || code === 'CONFIG_INVALID';
  return isAnswer ? 'confuse' : 'miss';
}

/** The failure of an attempt that took too long. */
export function toSlowError(name: string, startTimeoutMs: number): GatewayError {
  return new GatewayError(
    'UPSTREAM_TIMEOUT',
    `${name}: did not start and greet within ${startTimeoutMs} ms; raise "startTimeout" if it needs longer`,
    { data: { timeoutMs: startTimeoutMs } },
  );
}
