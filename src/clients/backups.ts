/** What was in clients' files before Thimble wrote to them: byte copies, each with a note on the write. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';
import { makeFolder } from '../lib/make-folder.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** Older copies of a client are let go, except those that a disconnect still needs. */
const KEPT = 20;

const NOTE = z.object({
  /** What its files are called. */
  name: z.string(),
  serial: z.int(),
  client: z.string(),
  /** The file that was written. */
  path: z.string(),
  verb: z.enum(['connect', 'disconnect', 'edit']),
  /** ISO 8601. */
  at: z.string(),
  /** The copy of what was there; null when there was no file. */
  backup: z.string().nullable(),
  /** Of a connect: what a disconnect leads back to; null when that is no file. */
  base: z.string().nullable(),
  /** The digest of the file as it was written; null when it was removed. */
  after: z.string().nullable(),
  /** Of a connect: the names of the servers that were taken out. */
  taken: z.array(z.string()),
  /** Of a connect: the text between two offsets of the base, and what was put there instead. */
  swap: z.object({ start: z.int(), end: z.int(), put: z.string() }).nullable(),
});

/** A note on one write. */
export type WriteNote = z.infer<typeof NOTE>;

/** A write as it is noted, with the texts that are kept. */
export interface Write extends Pick<WriteNote, 'client' | 'path' | 'verb' | 'taken'> {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What a disconnect leads back to. */
  readonly base: string | undefined;
}

/** The copies in one home. */
export interface Backups {
  /** The writes to one file of a client that were not undone, oldest first. */
  list(client: string, path: string): readonly WriteNote[];
  /** Keeps a copy and a note; called before the file is written, while nobody else may write it. */
  keep(write: Write): WriteNote;
  /** The text before a write; undefined when there was no file. */
  before(note: WriteNote): string | undefined;
  base(note: WriteNote): string | undefined;
  /** Where the copy lies. */
  toPath(note: WriteNote): string | undefined;
  /** Lets go of a note and its copies, once the write was undone. */
  forget(note: WriteNote): void;
}

/** A digest of a text, by which it is known again. */
export function toTextDigest(text: string | undefined): string | null {
  return text === undefined ? null : createHash('sha256').update(text).digest('hex');
}

/** Opens the copies of a home; nothing is made before the first is kept. */
export function openBackups(home: string, now: () => Date): Backups {
  const folder = join(home, 'backups', 'clients');
  const at = (name: string) => join(folder, name);

  function read(name: string | null): string | undefined {
    if (name === null) return undefined;
    const text = readIfThere(at(name));
    if (text === undefined) throw toGoneError(at(name));
    return text;
  }

  function all(): readonly WriteNote[] {
    if (!existsSync(folder)) return [];
    const notes = readdirSync(folder).flatMap((name) => {
      // Notes on other files come and go while these are looked through.
      const text = name.endsWith('.json') ? readIfThere(at(name)) : undefined;
      const note = text === undefined ? undefined : parseNote(text);
      return note ? [note] : [];
    });
    return notes.sort((a, b) => a.serial - b.serial);
  }

  function forget(note: WriteNote): void {
    // The note first: nobody shall find one whose copies are gone.
    for (const name of [`${note.name}.json`, note.backup, note.base])
      if (name !== null) rmSync(at(name), { force: true });
  }

  function list(client: string, path: string): readonly WriteNote[] {
    return all().filter((note) => note.client === client && note.path === path);
  }

  function prune(client: string, path: string): void {
    const notes = list(client, path);
    const open = toConnection(notes);
    for (const note of notes.slice(0, -KEPT)) if (note !== open) forget(note);
  }

  return {
    list,
    keep({ before, after, base, ...write }) {
      makeFolder(folder, PRIVATE_FOLDER);
      const serial = (all().at(-1)?.serial ?? 0) + 1;
      const time = now().toISOString();
      const name = `${write.client}-${time.replace(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
      const save = (file: string, text: string) =>
        writeFileSync(at(file), text, { mode: PRIVATE_FILE, flag: 'wx' });
      if (before !== undefined) save(name, before);
      // Mostly both are the same text, which need not lie there twice.
      const ownBase = base !== undefined && base !== before;
      if (ownBase) save(`${name}.base`, base);
      const note: WriteNote = {
        ...write,
        name,
        serial,
        at: time,
        backup: before === undefined ? null : name,
        base: base === undefined ? null : ownBase ? `${name}.base` : name,
        after: toTextDigest(after),
        swap: base !== undefined && after !== undefined ? toSwap(base, after) : null,
      };
      save(`${name}.json`, `${JSON.stringify(note, null, 2)}\n`);
      prune(write.client, write.path);
      return note;
    },
    before: (note) => read(note.backup),
    base: (note) => read(note.base),
    toPath: (note) => (note.backup === null ? undefined : at(note.backup)),
    forget,
  };
}

/** The connect that no disconnect has ended. */
export function toConnection(notes: readonly WriteNote[]): WriteNote | undefined {
  const last = notes.findLast(({ verb }) => verb !== 'edit');
  return last?.verb === 'connect' ? last : undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function toGoneError(copy: string): GatewayError {
  return new GatewayError(
    'FILE_REFUSED',
    `${copy}, the copy of what was there before, is gone, so nothing was changed; try again, and if it stays away take the entry out by hand`,
    { data: { file: copy } },
  );
}

function parseNote(text: string): WriteNote | undefined {
  try {
    return NOTE.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The one stretch of whole lines in which two texts differ. */
function toSwap(base: string, after: string): WriteNote['swap'] {
  const shorter = Math.min(base.length, after.length);
  let start = 0;
  while (start < shorter && base[start] === after[start]) start++;
  start = base.lastIndexOf('\n', start - 1) + 1;
  let tail = 0;
  while (tail < shorter - start && base.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const lineBreak = base.indexOf('\n', base.length - tail);
  const end = lineBreak < 0 ? base.length : lineBreak + 1;
  return { start, end, put: after.slice(start, after.length - (base.length - end)) };
}
