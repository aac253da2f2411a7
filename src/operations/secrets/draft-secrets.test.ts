import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openSecrets, toSecretReference } from '../../store/secrets.ts';
import type { House } from '../house.ts';
import { openTestHouse } from '../test-house.contract.ts';
import { draftSecrets } from './draft-secrets.ts';
import { sealSecrets } from './secret-values.ts';

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

  it('are not put in the place of one that somebody else saved meanwhile, nor take that away', async () => {
    const house = await open();
    const [draft, other] = [await pencil(house, 'a', 'b'), await draftSecrets(house)];
    await other.save('b', 'of another');
    await other.saveFor(DOCUMENT, async () => {});
    const write = () => Promise.reject(new Error('nothing should be written'));
    await expect(draft.saveFor(DOCUMENT, write)).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: expect.stringContaining('b was saved by somebody else in the meantime'),
    });
    expect(Object.fromEntries(await (await house.secrets()).all())).toEqual({ b: 'of another' });
  });

  it('stay for whoever else saved the same when they are not written', async () => {
    const house = await open();
    const [draft, other] = [await pencil(house, 'a', 'b'), await pencil(house, 'a')];
    await other.saveFor(DOCUMENT, async () => {});
    const write = () => Promise.reject(new Error('read-only'));
    await expect(draft.saveFor(DOCUMENT, write)).rejects.toThrow('read-only');
    expect(await kept(house)).toEqual(['a']);
  });

  it('are saved though they were kept when they were pencilled in, if somebody has forgotten them since', async () => {
    const house = await open();
    const secrets = await house.secrets();
    await secrets.save('x.TOKEN', 'the same as before');
    const draft = await draftSecrets(house);
    const sealed = await sealSecrets('x', { env: { TOKEN: 'the same as before' } }, draft);
    await secrets.remove('x.TOKEN');
    await draft.saveFor(sealed, async () => {});
    expect(await kept(house)).toEqual(['x.TOKEN']);
  });

  it('are saved and written, or taken back, before it is the turn of another', async () => {
    const house = await open();
    const [draft, other] = [await pencil(house, 'a'), await pencil(house, 'a')];
    const turns: string[] = [];
    let second = Promise.resolve();
    const first = draft.saveFor(DOCUMENT, async () => {
      second = other.saveFor(DOCUMENT, async () => void turns.push('second'));
      // Time enough for the other, were it not to wait.
      for (let time = 0; time < 20; time++) await kept(house);
      turns.push('first');
      throw new Error('read-only');
    });
    await expect(first).rejects.toThrow('read-only');
    await second;
    expect(turns).toEqual(['first', 'second']);
    expect(await kept(house)).toEqual(['a']);
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
