/** The things operations are about, one line each: commands, the admin API, tools and docs are made from this. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { Operation } from '../operation.ts';

/** One thing, and what can be done with it. */
export interface Noun {
  readonly name: string;
  /** One short sentence: every client that lists the tool pays for it. */
  readonly summary: string;
  /** True when there is just one thing to do with it, which then needs no name. */
  readonly single?: true;
  /** Its operations, loaded when first needed. */
  load(): Promise<readonly Operation[]>;
}

/** Every noun, in the order they are shown. */
export const NOUNS: readonly Noun[] = [
  {
    name: 'check_status',
    summary: 'Is everything well?',
    single: true,
    load: async () => (await import('./check_status/operations.ts')).CHECK_STATUS,
  },
  {
    name: 'server',
    summary: 'MCP servers: find, install, change.',
    load: async () => (await import('./server/operations.ts')).SERVER,
  },
  {
    name: 'profile',
    summary: 'Profiles: groups of servers.',
    load: async () => (await import('./profile/operations.ts')).PROFILE,
  },
  {
    name: 'client',
    summary: 'AI clients on this machine.',
    load: async () => (await import('./client/operations.ts')).CLIENT,
  },
  {
    name: 'config',
    summary: 'Settings of the gateway.',
    load: async () => (await import('./config/operations.ts')).CONFIG,
  },
  {
    name: 'project',
    summary: 'The code in this directory.',
    load: async () => (await import('./project/operations.ts')).PROJECT,
  },
  {
    name: 'system',
    summary: 'Set up, check and restart.',
    load: async () => (await import('./system/operations.ts')).SYSTEM,
  },
  {
    name: 'share',
    summary: 'Let others use a server or profile.',
    load: async () => (await import('./share/operations.ts')).SHARE,
  },
];

/** Every operation there is. */
export async function loadOperations(): Promise<readonly Operation[]> {
  return (await Promise.all(NOUNS.map((noun) => noun.load()))).flat();
}

/** Finds one; refuses an unknown verb with the valid ones. */
export async function findOperation(noun: string, verb: string): Promise<Operation> {
  const known = NOUNS.find(({ name }) => name === noun);
  if (!known) {
    const names = NOUNS.map(({ name }) => name);
    throw new GatewayError(
      'NAME_UNKNOWN',
      `there is no "${noun.slice(0, 100)}" to manage${didYouMean(noun, names)}; there are ${names.join(', ')}`,
    );
  }
  const operations = await known.load();
  const found = operations.find((operation) => operation.verb === verb);
  if (found) return found;
  const verbs = operations.map((operation) => operation.verb);
  throw new GatewayError(
    'NAME_UNKNOWN',
    `${noun} has no action "${verb.slice(0, 100)}"${didYouMean(verb, verbs)}; valid actions: ${verbs.join(', ')}`,
  );
}
