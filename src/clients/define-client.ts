/** Declares a client by what sets it apart. */
import type { JsonObject } from '../model/json.ts';
import type { Client, Places, ServerShelf } from './client.ts';
import { type EntryForm, readEntry, toMemberEdits, writeEntry } from './entry-form.ts';
import type { Format } from './format/format.ts';
import { jsoncFormat } from './format/jsonc-format.ts';
import { folderOf } from './locations.ts';

/** What is said of a client; the rest is as with most of them. */
export interface ClientSpec {
  readonly key: string;
  readonly title: string;
  readonly scope?: 'user' | 'project';
  files(places: Places): readonly string[];
  /** By default the directories its files are in. */
  traces?(places: Places): readonly string[];
  /** By default the members of `mcpServers`. */
  readonly shelf?: ServerShelf;
  /** By default JSON with comments. */
  loadFormat?(): Promise<Format>;
  readonly form?: EntryForm;
  /** What else of its document a person should know. */
  remark?(document: JsonObject): string | undefined;
}

/** Declares a client. */
export function defineClient(spec: ClientSpec): Client {
  const { key, title, scope = 'user', form = {} } = spec;
  return {
    key,
    title,
    scope,
    shelf: spec.shelf ?? { path: ['mcpServers'], kind: 'record' },
    files: (places) => spec.files(places),
    traces: (places) => spec.traces?.(places) ?? spec.files(places).map((file) => folderOf(places, file)),
    loadFormat: () => spec.loadFormat?.() ?? Promise.resolve(jsoncFormat),
    read: (native) => readEntry(form, native),
    remark: (document) => spec.remark?.(document),
    write: (name, entry) => writeEntry(form, name, entry),
    toMemberEdits: (native, change) => toMemberEdits(form, native, change),
  };
}
