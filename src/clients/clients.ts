/** The AI clients of this machine: what servers they have, and Thimble's entry in each of them. */
import { stat } from 'node:fs/promises';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { openBackups, type Write, type WriteNote } from './backups.ts';
import type { Client, Places, ReadServer } from './client.ts';
import { OWN_NAME, type Subject } from './connection.ts';
import { readDocument, readServers, type ServerFile } from './file-servers.ts';
import { CLIENTS, findClient } from './known/registry.ts';
import { openPathOverrides } from './path-overrides.ts';
import { type ClientEdit, disconnectStep, type Step, toConnectStep, toEditStep, undoStep } from './steps.ts';
import { toSummary } from './summary.ts';
import { readClientFile, writeClientFile } from './write-file.ts';

/** What the clients are found by. */
export interface ClientsParts extends Places {
  /** Thimble's data directory. */
  readonly home: string;
  readonly now: () => Date;
  /** Files that are named for this once, by client; whatever else was said of them. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A server in a client's file. */
export interface ClientServer extends ReadServer {
  readonly name: string;
  /** What it is, in a few words that hold no secret. */
  readonly summary: string;
}

/** One client as it stands. */
export interface ClientStatus {
  readonly key: string;
  readonly title: string;
  readonly scope: 'user' | 'project';
  /** Its file, or where it would be. */
  readonly path: string;
  readonly exists: boolean;
  /** True when the client seems to be on this machine. */
  readonly found: boolean;
  /** True when Thimble's entry is in its file. */
  readonly connected: boolean;
  readonly servers: readonly ClientServer[];
  /** Why its file cannot be used. */
  readonly problem?: string;
  /** What else a person should know of its file. */
  readonly remark?: string;
}

/** Where a client's file is looked for. */
export interface ClientPlace {
  readonly key: string;
  readonly title: string;
  /** The file in use. */
  readonly path: string;
  /** What a person said, if anything. */
  readonly override: string | undefined;
  /** Where it is looked for otherwise, the preferred first. */
  readonly candidates: readonly string[];
}

/** A file before and after; undefined means there is no file. */
export interface ClientFileChange {
  readonly key: string;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Every server of both texts, in our own form where it has one: what they hold may be secret. */
  servers(): readonly ChangedServer[];
}

/** A server in one of the two texts of a change. */
export interface ChangedServer {
  readonly name: string;
  readonly when: 'before' | 'after';
  readonly entry: JsonObject;
}

/** What Thimble's entry takes the place of. */
export interface ConnectOptions {
  /** Names of servers to take out; a disconnect puts them back. */
  readonly take: readonly string[];
}

/** The clients; every `preview` writes nothing. */
export interface Clients {
  list(): Promise<readonly ClientStatus[]>;
  /** One client; throws FILE_REFUSED when its file cannot be used. */
  read(key: string): Promise<ClientStatus>;
  previewConnect(key: string, entry: JsonObject, options: ConnectOptions): Promise<ClientFileChange>;
  connect(key: string, entry: JsonObject, options: ConnectOptions): Promise<ClientFileChange>;
  previewDisconnect(key: string): Promise<ClientFileChange>;
  disconnect(key: string): Promise<ClientFileChange>;
  previewEdit(key: string, edits: readonly ClientEdit[]): Promise<ClientFileChange>;
  edit(key: string, edits: readonly ClientEdit[]): Promise<ClientFileChange>;
  previewUndo(key: string): Promise<ClientFileChange>;
  /** Takes back Thimble's last write to a client's file. */
  undo(key: string): Promise<ClientFileChange>;
  place(key: string): Promise<ClientPlace>;
  /** Says where a client's file is, absolute; undefined goes back to the usual places. */
  setPath(key: string, path: string | undefined): Promise<void>;
}

/** A step that was worked out and not taken. */
interface Looked {
  readonly subject: Subject;
  /** The last write before it, which it may be about. */
  readonly last: WriteNote | undefined;
  readonly outcome: ReturnType<Step>;
}

/** Opens the clients of a machine. */
export function openClients(parts: ClientsParts): Clients {
  const overrides = openPathOverrides(parts.home);
  const backups = openBackups(parts.home, parts.now);

  async function placeOf(client: Client): Promise<ClientPlace> {
    const candidates = client.files(parts);
    const override = parts.files?.[client.key] ?? (await overrides.all())[client.key];
    const existing = override === undefined ? await findExisting(candidates) : undefined;
    const path = override ?? existing ?? candidates[0] ?? '';
    return { key: client.key, title: client.title, path, override, candidates };
  }

  async function fileOf(client: Client): Promise<ServerFile> {
    const { path } = await placeOf(client);
    return { path, format: await client.loadFormat(), shelf: client.shelf };
  }

  async function read(client: Client): Promise<ClientStatus> {
    const { path } = await placeOf(client);
    const text = await readClientFile(path);
    if (text === undefined) {
      // Most clients are not there, and need no library to be loaded for them.
      const found = (await findExisting(client.traces(parts))) !== undefined;
      return toStatus(client, path, { exists: false, found, connected: false, servers: [] });
    }
    const file = await fileOf(client);
    const natives = readServers(file, text);
    const remark = client.remark?.(readDocument(file, text));
    const servers = natives.map(({ name, value }) => toServer(client, name, value));
    const connected = servers.some(({ name }) => name === OWN_NAME);
    const about = { exists: true, found: true, connected, servers };
    return toStatus(client, path, { ...about, ...(remark !== undefined && { remark }) });
  }

  async function readOrSay(client: Client): Promise<ClientStatus> {
    try {
      return await read(client);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { path } = await placeOf(client);
      const exists = (await findExisting([path])) !== undefined;
      return toStatus(client, path, {
        exists,
        found: exists,
        connected: false,
        servers: [],
        problem: error.message,
      });
    }
  }

  async function look(key: string, step: Step): Promise<Looked> {
    const client = findClient(key);
    const file = await fileOf(client);
    return toLooked({ client, file, text: await readClientFile(file.path), backups }, step);
  }

  async function preview(key: string, step: Step): Promise<ClientFileChange> {
    const { subject, outcome } = await look(key, step);
    return toChange(subject, outcome.after);
  }

  async function write(key: string, verb: Write['verb'] | 'undo', step: Step): Promise<ClientFileChange> {
    // What is refused is refused before a lock or a directory is made.
    let looked = await look(key, step);
    const { client, file } = looked.subject;
    let [onFailed, onWritten] = [() => {}, () => {}];
    const change = (text: string | undefined) => {
      if (!isUpToDate(looked, text)) looked = toLooked({ ...looked.subject, text }, step);
      const { last, outcome } = looked;
      if (verb === 'undo') onWritten = () => last && backups.forget(last);
      else if (text !== outcome.after || verb === 'disconnect') {
        const note = backups.keep({ client: client.key, path: file.path, verb, before: text, ...outcome });
        onFailed = () => backups.forget(note);
      }
      return outcome.after;
    };
    try {
      await writeClientFile(file.path, change, () => onWritten());
    } catch (error) {
      onFailed();
      throw error;
    }
    return toChange(looked.subject, looked.outcome.after);
  }

  return {
    list: () => Promise.all(CLIENTS.map(readOrSay)),
    read: (key) => read(findClient(key)),
    previewConnect: (key, entry, { take }) => preview(key, toConnectStep(entry, take)),
    connect: (key, entry, { take }) => write(key, 'connect', toConnectStep(entry, take)),
    previewDisconnect: (key) => preview(key, disconnectStep),
    disconnect: (key) => write(key, 'disconnect', disconnectStep),
    previewEdit: (key, edits) => preview(key, toEditStep(edits)),
    edit: (key, edits) => write(key, 'edit', toEditStep(edits)),
    previewUndo: (key) => preview(key, undoStep),
    undo: (key) => write(key, 'undo', undoStep),
    place: (key) => placeOf(findClient(key)),
    setPath: (key, path) => overrides.set(findClient(key).key, path),
  };
}

function toLooked(subject: Subject, step: Step): Looked {
  const last = findLast(subject);
  return { subject, last, outcome: step(subject) };
}

/** Whether nobody has written since, nor undone anything, which may leave the same text. */
function isUpToDate({ subject, last }: Looked, text: string | undefined): boolean {
  return text === subject.text && findLast(subject)?.name === last?.name;
}

function findLast({ client, file, backups }: Subject): WriteNote | undefined {
  return backups.list(client.key, file.path).at(-1);
}

function toChange({ client, file, text }: Subject, after: string | undefined): ClientFileChange {
  const toServers = (when: ChangedServer['when'], whole: string | undefined) =>
    readServers(file, whole).map(({ name, value }) => ({
      name,
      when,
      entry: client.read(value).entry ?? value,
    }));
  const servers = () => [...toServers('before', text), ...toServers('after', after)];
  return { key: client.key, path: file.path, before: text, after, servers };
}

function toServer(client: Client, name: string, native: JsonObject): ClientServer {
  const server = client.read(native);
  return { name, ...server, summary: toSummary(server.entry) };
}

function toStatus(
  { key, title, scope }: Client,
  path: string,
  rest: Omit<ClientStatus, 'key' | 'title' | 'scope' | 'path'>,
): ClientStatus {
  return { key, title, scope, path, ...rest };
}

async function findExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await stat(path).catch(() => undefined)) return path;
  return undefined;
}
