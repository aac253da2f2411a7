/** Configurations for tests of what lies under the modes: nothing of our own, every tool as it is. */
import type { JsonObject } from '../../src/model/json.ts';

/** No servers of our own, and the mode that hides nothing. */
export const PLAIN = { builtin: false, manage: { enabled: false }, exposure: { mode: 'direct' } } as const;

/** A configuration that says so unless it says something else. */
export function withoutOwn(config: JsonObject): JsonObject {
  const exposure = { ...PLAIN.exposure, ...(config['exposure'] as JsonObject | undefined) };
  return { ...PLAIN, ...config, exposure };
}
