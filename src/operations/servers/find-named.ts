/** Finds the server that somebody names to running processes. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { House } from '../house.ts';
import { toShown } from '../shown/quote.ts';
import { type Configured, findConfigured } from './server-entries.ts';

/** What is known of it; one that only a process with another configuration has is taken by its id. */
export type Named = Pick<Configured, 'id' | 'name' | 'enabled'>;

/** Finds it: a configured server, else one that runs under this id from another configuration of this home. */
export async function findNamed(word: string, house: Pick<House, 'config' | 'running'>): Promise<Named> {
  try {
    return findConfigured(await house.config.read(), word);
  } catch (error) {
    const running = [...new Set((await house.running.servers()).map(({ id }) => id))].sort();
    if (running.includes(word)) return { id: word, name: word, enabled: true };
    const hint = didYouMean(word, running);
    if (hint === '' || !(error instanceof GatewayError) || error.code !== 'NAME_UNKNOWN') throw error;
    throw new GatewayError(
      'NAME_UNKNOWN',
      `no configured or running server is called ${toShown(word)}${hint}`,
    );
  }
}
