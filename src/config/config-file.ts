/** The configuration file as programs edit it: comments stay, what would not be valid is never written. */
import { basename } from 'node:path';
import { GatewayError } from '../errors/gateway-error.ts';
import { editFile, readText } from '../lib/edit-file.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { saveBackup } from './backups.ts';
import type { Config } from './config.ts';
import { removeFromJsonc, setInJsonc } from './edit/edit-jsonc.ts';
import { type JsonPath, parseJsonc } from './jsonc.ts';
import { type ConfigPlaces, findConfig, findHomeConfig, isForeign } from './load.ts';
import { createDefaultConfig, parseConfig } from './parse.ts';
import type { ConfigParts } from './schema.ts';
import { admitEdit } from './trust.ts';

/** One change: a value at a path, or its removal. */
export interface ConfigEdit {
  readonly path: JsonPath;
  /** Undefined removes what is there. */
  readonly value: JsonValue | undefined;
}

/** What a file says, as it is written and as it is understood. */
export interface ConfigContent {
  /** Absolute; where the file is, or would be made. */
  readonly path: string;
  /** Undefined when there is no file yet. */
  readonly text: string | undefined;
  /** The document as it is written; references are not resolved. */
  readonly value: JsonObject;
  readonly config: Config;
}

/** A file before and after an edit. */
export interface ConfigChange {
  readonly path: string;
  readonly before: ConfigContent;
  readonly after: ConfigContent;
  /** Where the file as it was is kept; undefined when there was none, or nothing was written. */
  readonly backup?: string | undefined;
}

/** The configuration file in use. */
export interface ConfigFile {
  /** Where it is, or would be made; absolute, and known even when it cannot be used. */
  path(): Promise<string>;
  /** True when the person named it, with `--config`. */
  readonly named: boolean;
  /** Reads it; throws CONFIG_INVALID with every fault when it cannot be used. */
  read(): Promise<ConfigContent>;
  /** What edits would make of it; throws CONFIG_INVALID when that could not be used. Writes nothing. */
  preview(edits: readonly ConfigEdit[]): Promise<ConfigChange>;
  /** Edits it, and keeps a copy: the edits are made from what is in the file at that moment, whoever else edits it. */
  edit(toEdits: (content: ConfigContent) => readonly ConfigEdit[]): Promise<ConfigChange>;
}

const EMPTY = '{}\n';

/** Opens the person's file that is in use, or the one in the home; a `.mcp.json` only when it was named. */
export function openConfigFile(
  places: ConfigPlaces,
  parts: ConfigParts,
  now: () => Date = () => new Date(),
): ConfigFile {
  const find = async () => {
    const found = await findConfig(places);
    return found === undefined || isForeign(found, places) ? findHomeConfig(places.home) : found;
  };

  function toContent(path: string, text: string | undefined): ConfigContent {
    if (text === undefined) return { path, text, value: {}, config: createDefaultConfig(parts) };
    const config = parseConfig(text, path, parts);
    const document = parseJsonc(text);
    const value = 'value' in document && isJsonObject(document.value) ? document.value : {};
    return { path, text, value, config };
  }

  function apply(before: ConfigContent, edits: readonly ConfigEdit[]): ConfigChange {
    const { path, text = EMPTY } = before;
    return { path, before, after: toContent(path, edits.reduce(applyEdit, text)) };
  }

  async function read(): Promise<ConfigContent> {
    const path = await find();
    return toContent(path, await readText(path));
  }

  return {
    path: find,
    named: places.explicit !== undefined,
    read,
    preview: async (edits) => apply(await read(), edits),
    async edit(toEdits) {
      const path = await find();
      const edited: ConfigChange[] = [];
      await editFile(path, (text) => {
        const content = toContent(path, text);
        const change = apply(content, toEdits(content));
        admitEdit(path, places, change.before.value, change.after.value);
        const after = change.after.text ?? EMPTY;
        const isCopied = text !== undefined && text !== after;
        const backup = isCopied ? saveBackup({ home: places.home, now }, basename(path), text) : undefined;
        edited.push({ ...change, backup });
        return after;
      });
      const [change] = edited;
      if (!change) throw new GatewayError('INTERNAL', `${path} was not edited`);
      return change;
    },
  };
}

function applyEdit(text: string, { path, value }: ConfigEdit): string {
  return value === undefined ? removeFromJsonc(text, path) : setInJsonc(text, path, value);
}
