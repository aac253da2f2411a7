/** What the failure of an attempt or of a link means for the state of its upstream. */
import type { GatewayError, RpcError } from '../errors/gateway-error.ts';

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
