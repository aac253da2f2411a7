import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openSecrets, toSecretReference } from '../../store/secrets.ts';
import type { House } from '../house.ts';
import { openTestHouse } from '../test-house.contract.ts';
import { draftSecrets } from './draft-secrets.ts';

const DOCUMENT = { a: toSecretReference('a'), b: toSecretReference('b') };

async function open(given: Partial<House> = {}): Promise<House> {
  const house = await openTestHouse(given);
  onTestFinished(() => house[Symbol.asyncDispose]());
  return house;
}

async function pencil(house: House, ...names: readonly string[]) {
  const draft = await draftSecrets(house);
  for (const name of names) await draft.save(name, `value of ${name}`);
  return draft;
}

const kept = async (house: House) => [...(await (await house.secrets()).all()).keys()];

describe('secrets that are pencilled in', () => {
  it('are saved when what refers to them is written, and no others', async () => {
    const house = await open();
    const draft = await pencil(house, 'a', 'b', 'c');
    expect(await kept(house)).toEqual([]);
    expect(await draft.saveFor(DOCUMENT, async () => kept(house))).toEqual(['a', 'b']);
    expect(await kept(house)).toEqual(['a', 'b']);
  });

  it('are taken back when that is not written', async () => {
    const house = await open();
    await (await house.secrets()).save('old', 'of before');
    const draft = await pencil(house, 'a', 'b');
    const write = () => Promise.reject(new Error('read-only'));
    await expect(draft.saveFor(DOCUMENT, write)).rejects.toThrow('read-only');
    expect(await kept(house)).toEqual(['old']);
  });

  it('are taken back when one of them cannot be saved, and nothing is written', async () => {
    const whole = await open();
    const secrets = await whole.secrets();
    const save = (name: string, value: string) =>
      name === 'b' ? Promise.reject(new Error('the disk is full')) : secrets.save(name, value);
    const draft = await pencil({ ...whole, secrets: async () => ({ ...secrets, save }) }, 'a', 'b');
    let isWritten = false;
    const write = async () => {
      isWritten = true;
    };
    await expect(draft.saveFor(DOCUMENT, write)).rejects.toThrow('the disk is full');
    expect(isWritten).toBe(false);
    expect(await kept(whole)).toEqual([]);
  });

  it('are refused where they would end with the process', async () => {
    const store = createMemoryStore('the disk is full');
    const house = await open({ store: async () => store, secrets: async () => openSecrets(store) });
    const draft = await pencil(house, 'a');
    await expect(draft.saveFor(DOCUMENT, async () => {})).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await expect(draft.saveFor({}, async () => 'written')).resolves.toBe('written');
  });
});
