import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeUpstreams } from '../../test/support/fake-upstreams.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { createFeed } from '../events/feed.ts';
import { onListChanges } from './list-changes.ts';
import type { Surface } from './surface.ts';

const FACTS = createContext().facts;

function setUp() {
  const upstreams = createFakeUpstreams({ files: { tools: ['read'] } });
  const clock = createFakeClock();
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed(), clock });
  const looks: string[] = [];
  const told: string[] = [];
  const surfaceOf = (keepable: boolean): Surface =>
    ({
      key: 'mode direct ',
      keepable,
      shown: async (kind: 'tool', { facts }: { facts: { name: string } }) => {
        if (kind === 'tool') looks.push(facts.name);
        return catalog.current.list(kind).map(({ definition }) => definition);
      },
      onStateChange: () => () => {},
      onExposureChange: () => () => {},
    }) as unknown as Surface;
  /** A conversation that has seen its lists. */
  const open = async (name: string, keepable = true) => {
    const context = createContext({ facts: { ...FACTS, name } });
    const stop = onListChanges(catalog, surfaceOf(keepable), context, () => void told.push(name));
    await setImmediate();
    return stop;
  };
  /** Another tool, told of. */
  const change = async (...tools: string[]) => {
    looks.length = 0;
    told.length = 0;
    upstreams.set('files', { tools });
    await clock.advance(1_000);
  };
  return { open, change, looks, told };
}

/** Until nothing is left to be done, or for so many turns. */
async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done++) await setImmediate();
}

it('looks once for all conversations of one client at one address, and tells each', async () => {
  const { open, change, looks, told } = setUp();
  for (const name of ['a', 'a', 'b', 'a']) await open(name);
  await change('read', 'write');
  await turns(10);
  expect(looks).toEqual(['a', 'b']);
  expect(told).toEqual(['a', 'a', 'b', 'a']);
  await change('read', 'write');
  await turns(10);
  expect(looks).toEqual(['a', 'b']);
  expect(told).toEqual([]);
});

it('looks for each conversation where what is shown is its own', async () => {
  const { open, change, looks, told } = setUp();
  for (const name of ['a', 'a']) await open(name, false);
  await change('read', 'write');
  await turns(10);
  expect(looks).toEqual(['a', 'a']);
  expect(told).toEqual(['a', 'a']);
});

it('lets others have their turn between two conversations', async () => {
  const { open, change, looks } = setUp();
  const clients = Array.from({ length: 50 }, (_, number) => `client ${number}`);
  for (const name of clients) await open(name);
  await change('read', 'write');
  let most = 0;
  for (let seen = looks.length; seen < clients.length; seen = looks.length) {
    await setImmediate();
    most = Math.max(most, looks.length - seen);
  }
  expect(most).toBe(1);
});

it('does not look for who has left before its turn', async () => {
  const { open, change, looks } = setUp();
  const stops = [];
  for (let number = 0; number < 50; number++) stops.push(await open(`client ${number}`));
  await change('read', 'write');
  for (const stop of stops) stop();
  const seen = looks.length;
  await turns(100);
  expect(looks.length).toBeLessThanOrEqual(seen + 1);
});
