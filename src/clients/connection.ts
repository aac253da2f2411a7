/** Thimble's one entry in a client's file: how it gets in, and how the file gets back to what it was. */
import type { JsonObject } from '../model/json.ts';
import { type Backups, toConnection, toTextDigest, type WriteNote } from './backups.ts';
import type { Client } from './client.ts';
import {
  dropShelf,
  editServers,
  hasSameMeaning,
  hasShelf,
  isEmptyDocument,
  readServers,
  type ServerEdit,
  type ServerFile,
} from './file-servers.ts';

/** What Thimble is called in every client. */
export const OWN_NAME = 'thimble';

/** A file that is about to change, and all that is known of earlier changes. */
export interface Subject {
  readonly client: Client;
  readonly file: ServerFile;
  /** The text as it is now; undefined when there is no file. */
  readonly text: string | undefined;
  readonly backups: Backups;
}

/** What a change comes to. */
export interface Outcome {
  /** Undefined when there shall be no file. */
  readonly after: string | undefined;
  /** What a later disconnect leads back to. */
  readonly base: string | undefined;
  readonly taken: readonly string[];
}

/** The text with Thimble's entry in it and the named servers taken out; those of an earlier connect stay out. */
export function connectTo(subject: Subject, entry: JsonObject, take: readonly string[]): Outcome {
  const { client, file } = subject;
  // Whoever connects again starts from what a disconnect would leave, so that one disconnect ends it all.
  const earlier = findConnection(subject);
  const base = earlier ? disconnectFrom(subject) : subject.text;
  const start = base ?? '';
  const present = readServers(file, start).map(({ name }) => name);
  const wanted = new Set([...(earlier?.taken ?? []), ...take]);
  const taken = [...wanted].filter((name) => name !== OWN_NAME && present.includes(name));
  const edits: ServerEdit[] = [
    ...taken.map((name) => ({ name, value: undefined })),
    { name: OWN_NAME, value: client.write(OWN_NAME, entry) },
  ];
  const replaced = present.filter((name) => name === OWN_NAME);
  return { after: editServers(file, start, edits), base, taken: [...taken, ...replaced] };
}

/** The text as it was before the connect, with whatever others have changed since; undefined when there was no file. */
export function disconnectFrom(subject: Subject): string | undefined {
  const { file, text, backups } = subject;
  if (text === undefined) return undefined;
  const note = findConnection(subject);
  if (!note) return editServers(file, text, [{ name: OWN_NAME, value: undefined }]);
  const base = backups.base(note);
  if (toTextDigest(text) === note.after) return base;
  const plain = takeBack(file, text, { base, taken: note.taken });
  const swapped = base === undefined ? undefined : swapBack(text, base, note.swap);
  if (swapped !== undefined && hasSameMeaning(file, swapped, plain)) return swapped;
  return base === undefined && isEmptyDocument(file, plain) ? undefined : plain;
}

/** The connect that the file still follows from. */
export function findConnection({ client, file, backups }: Subject): WriteNote | undefined {
  return toConnection(backups.list(client.key, file.path));
}

/** Takes our entry out and puts the others back, by what they mean. */
function takeBack(
  file: ServerFile,
  text: string,
  { base, taken }: { readonly base: string | undefined; readonly taken: readonly string[] },
): string {
  const present = new Set(readServers(file, text).map(({ name }) => name));
  present.delete(OWN_NAME);
  const returned = readServers(file, base).filter(({ name }) => taken.includes(name) && !present.has(name));
  const after = editServers(file, text, [
    { name: OWN_NAME, value: undefined },
    ...returned.map(({ name, value }) => ({ name, value })),
  ]);
  return hasShelf(file, base) ? after : dropShelf(file, after);
}

/** Puts the very lines back that were there, comments and all, where ours still stand as they were written. */
function swapBack(text: string, base: string, swap: WriteNote['swap']): string | undefined {
  if (!swap || swap.put.trim() === '') return undefined;
  const found = text.indexOf(swap.put);
  if (found < 0 || found !== text.lastIndexOf(swap.put)) return undefined;
  return text.slice(0, found) + base.slice(swap.start, swap.end) + text.slice(found + swap.put.length);
}
