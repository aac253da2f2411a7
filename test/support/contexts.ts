/** Ready-made call contexts for tests below the session. */
import type { CallContext } from '../../src/model/call.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';

/** A context of a plain local legacy client; members can be replaced. */
export function createContext(overrides: Partial<CallContext> = {}): CallContext {
  return {
    principal: LOCAL_PRINCIPAL,
    profile: undefined,
    facts: { era: 'legacy', protocolVersion: '2025-11-25', name: 'test', info: {}, capabilities: {} },
    signal: new AbortController().signal,
    client: { notify() {} },
    ...overrides,
  };
}
