/** A configured server that cannot be started as things are: switched off, or lacking something. */
import { GatewayError } from '../errors/gateway-error.ts';
import { sayState } from './states.ts';
import { toStillStatus } from './status.ts';
import type { Upstream, UpstreamConfig, UpstreamState } from './upstream.ts';

/** Creates an upstream that only says why it does nothing. */
export function createDormant(
  config: UpstreamConfig,
  state: Extract<UpstreamState, { is: 'awaiting_config' | 'disabled' }>,
): Upstream {
  const refuse = () =>
    Promise.reject(
      new GatewayError('UPSTREAM_DISABLED', `${config.name}: ${sayState(state, 0)}`, {
        data: { upstream: config.name, state: state.is },
      }),
    );
  return {
    config,
    state,
    manifest: undefined,
    firstContact: Promise.resolve(),
    notes: () => ({ badLines: 0, stderr: [], pid: undefined }),
    status: async () => toStillStatus(state, 0),
    restart: refuse,
    request: refuse,
    watch: refuse,
    notify: refuse,
    async [Symbol.asyncDispose]() {},
  };
}
