/** Checks of the home: whether it can be written, the store, the key, what is kept of old. */
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fromUnknown } from '../../../../errors/from-unknown.ts';
import { countSealed } from '../../../../store/count-sealed.ts';
import { findDamage } from '../../../../store/dialects/sqlite-check.ts';
import { describeMissingKey, toKeyPath } from '../../../../store/key-source.ts';
import type { House } from '../../../house.ts';
import { count } from '../../../shown/words.ts';
import { bad, type Check, ok, warn } from '../check.ts';

const DAY_MS = 86_400_000;
const OLD_DAYS = 180;
const MANY = 200;
const OTHERS = 0o077;

/** Whether the home is there and can be written. */
export const home: Check = {
  about: 'home',
  async look({ home: folder, machine }) {
    const found = await stat(folder).catch(() => undefined);
    if (!found) return [ok('home', `${folder} is made when it is first needed`)];
    if (!found.isDirectory())
      return [bad('home', `${folder} is no directory`, 'move it away, or choose another with --home')];
    if (!(await canWrite(folder)))
      return [bad('home', `${folder} cannot be written`, `make it yours: chmod u+rwx ${folder}`)];
    if (machine.platform !== 'win32' && (found.mode & OTHERS) !== 0)
      return [warn('home', `${folder} can be read by others`, `run: chmod 700 ${folder}`)];
    return [ok('home', folder)];
  },
};

/** Whether the store opens and is whole. */
export const store: Check = {
  about: 'store',
  async look(house) {
    const path = join(house.home, 'thimble.db');
    const fix = 'end every thimble of this home, then move the file away or put a copy in its place';
    try {
      const opened = await house.store();
      if (opened.degraded !== undefined) return [bad('store', opened.degraded, fix)];
      const damage = await findDamage(opened);
      if (damage !== undefined) return [bad('store', `${path} is damaged: ${damage}`, fix)];
      return [ok('store', `${path} opens and is whole`)];
    } catch (error) {
      return [bad('store', fromUnknown(error).message, fix)];
    }
  },
};

/** Whether the key that seals secrets is there where it is needed, and nobody else can read it. */
export const key: Check = {
  about: 'key',
  async look(house) {
    const { home: folder, env, machine } = house;
    if (env['THIMBLE_KEY']) return [ok('key', 'given by THIMBLE_KEY')];
    const path = toKeyPath(folder);
    const found = await stat(path).catch(() => undefined);
    if (!found) {
      const sealed = await countKept(house);
      if (sealed === 0) return [ok('key', 'made when the first secret is kept')];
      const { says, wayOut } = describeMissingKey(sealed);
      return [bad('key', says, wayOut)];
    }
    if (machine.platform !== 'win32' && (found.mode & OTHERS) !== 0)
      return [bad('key', `${path} can be read by others`, `run: chmod 600 ${path}`)];
    return [ok('key', `${path}, readable by you alone`)];
  },
};

/** Whether copies of old files pile up. */
export const backups: Check = {
  about: 'backups',
  async look({ home: folder, now }) {
    const path = join(folder, 'backups');
    // Beside each copy of a client's file lies a note on it.
    const isCopy = (file: string) => !(file.startsWith(join(path, 'clients')) && file.endsWith('.json'));
    const ages = (await listTimes(path, isCopy)).map((at) => (now().getTime() - at) / DAY_MS);
    const old = ages.filter((days) => days > OLD_DAYS).length;
    if (old > 0) {
      const says = `${count(old, 'kept file')} in ${path} older than ${OLD_DAYS} days`;
      return [warn('backups', says, 'remove those you do not need; a disconnect may still want the newest')];
    }
    if (ages.length > MANY)
      return [
        warn('backups', `${ages.length} copies of files are in ${path}`, 'remove those you do not need'),
      ];
    return [ok('backups', ages.length === 0 ? 'none' : `${ages.length} in ${path}`)];
  },
};

/** How old the newest answer of the registry is. */
export const registryCache: Check = {
  about: 'registry',
  async look({ home: folder, now, env }) {
    const mirror = env['THIMBLE_REGISTRY_MIRROR'];
    if (mirror) {
      const isThere = await canRead(mirror);
      return isThere
        ? [ok('registry', `the mirror ${mirror}`)]
        : [
            bad(
              'registry',
              `the mirror ${mirror} cannot be read`,
              'correct THIMBLE_REGISTRY_MIRROR, or unset it',
            ),
          ];
    }
    const times = await listTimes(join(folder, 'cache', 'registry'));
    if (times.length === 0) return [ok('registry', 'never asked; thimble server search asks it')];
    const days = Math.max(0, (now().getTime() - Math.max(...times)) / DAY_MS);
    return [
      ok('registry', `last asked ${days < 1 ? 'within a day' : `${count(Math.floor(days), 'day')} ago`}`),
    ];
  },
};

/** A store that does not open is told of by its own check. */
async function countKept(house: House): Promise<number> {
  try {
    const { db } = await (await house.store()).tables<unknown>('gateway', []);
    return await countSealed(db);
  } catch {
    return 0;
  }
}

async function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function canRead(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** When the files of a folder and those below it were written. */
async function listTimes(
  folder: string,
  counts: (file: string) => boolean = () => true,
): Promise<readonly number[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const times = files.filter(counts).map((file) =>
    stat(file).then(
      ({ mtimeMs }) => [mtimeMs],
      () => [],
    ),
  );
  return (await Promise.all(times)).flat();
}
