import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openStore } from '../../store/open.ts';
import { openMeetingPlace } from './meeting-place.ts';

describe('a meeting place', () => {
  it('is claimed by one of all who saw the same address, or the same absence of one', async () => {
    const store = createMemoryStore();
    const place = openMeetingPlace(store, ['a']);
    expect(await place.find()).toBeUndefined();
    expect(await place.claim(undefined, 'one')).toBe(true);
    expect(await place.claim(undefined, 'two')).toBe(false);
    expect(await place.find()).toBe('one');
    expect(await place.claim('one', 'three')).toBe(true);
    expect(await place.claim('one', 'four')).toBe(false);
    expect(await place.find()).toBe('three');
    expect(await openMeetingPlace(store, ['b']).find()).toBeUndefined();
  });

  it('is claimed once when several processes try at the same moment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'thimble-place-'));
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(join(folder, 'thimble.db'))));
    const places = stores.map((store) => openMeetingPlace(store, ['a']));
    expect(await places[0]?.claim(undefined, 'old')).toBe(true);
    const won = await Promise.all(places.map((place, at) => place.claim('old', `new ${at}`)));
    expect(won.filter(Boolean)).toHaveLength(1);
    for (const store of stores) await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
});
