/** Ready-made call contexts for tests below the session: on behalf of the local principal. */
import type { CallContext } from '../../src/model/call.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';

/** A context of a plain local legacy client; members can be replaced. */
export function createContext(overrides: Partial<CallContext> = {}): CallContext {
  return {
    principal: LOCAL_PRINCIPAL,
    conversation: 'test',
    profile: undefined,
    logLevel: undefined,
    retry: undefined,
    facts: { era: 'legacy', protocolVersion: '2025-11-25', name: 'test', info: {}, capabilities: {} },
    signal: new AbortController().signal,
    client: { notify() {} },
    ...overrides,
  };
}

/** A call and the notifications its client got. */
export interface RecordedCall extends CallContext {
  readonly heard: { readonly method: string; readonly params: JsonObject }[];
  cancel(): void;
}

/** Creates a call that can be cancelled and remembers what its client heard. */
export function createCall(): RecordedCall {
  const controller = new AbortController();
  const heard: RecordedCall['heard'] = [];
  const client = { notify: (method: string, params: JsonObject) => void heard.push({ method, params }) };
  const cancel = () => controller.abort(new Error('cancelled by the test'));
  return { ...createContext({ signal: controller.signal, client }), heard, cancel };
}
