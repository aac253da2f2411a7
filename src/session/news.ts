/** Tells which notifications of an upstream are handed to clients as they are. */
import { ALL_KINDS, KINDS } from '../model/kinds.ts';

/** Handled in ways of their own, or meant for us alone. */
const HANDLED: ReadonlySet<string> = new Set([
  ...ALL_KINDS.map((kind) => KINDS[kind].changed),
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  'notifications/progress',
  'notifications/cancelled',
  'notifications/elicitation/complete',
]);

/** True for a notification that nothing else takes care of. */
export function isNews(method: string): boolean {
  return !HANDLED.has(method);
}
