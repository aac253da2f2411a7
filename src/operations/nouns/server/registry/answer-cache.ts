/** Answers of a registry, kept in files for when they are asked for again or the registry cannot be. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { editFile, readText } from '../../../../lib/edit-file.ts';
import { toDigest } from '../../../../model/ids.ts';
import { isJsonObject, type JsonValue } from '../../../../model/json.ts';

/** A kept answer. */
export interface KeptAnswer {
  readonly value: JsonValue;
  readonly ageMs: number;
}

/** The kept answers of one registry. */
export interface AnswerCache {
  load(question: string): Promise<KeptAnswer | undefined>;
  save(question: string, value: JsonValue): Promise<void>;
  /** Every kept answer, the newest first. */
  all(): Promise<readonly KeptAnswer[]>;
}

const MAX_FILES = 200;
const NAME = /^[0-9a-f]{32}\.json$/;

/** Opens the answers kept in a folder; it is made when first needed. A broken file counts as none. */
export function createAnswerCache(folder: string, address: string, now: () => Date): AnswerCache {
  // An address may hold a password, so only its digest is written down.
  const registry = toDigest(address, 32);
  const fileOf = (question: string) => join(folder, `${toDigest(`${registry}\n${question}`, 32)}.json`);

  async function read(path: string): Promise<KeptAnswer | undefined> {
    const kept = parse(await readText(path).catch(() => undefined));
    if (kept?.['registry'] !== registry || kept['value'] === undefined) return undefined;
    const ageMs = now().getTime() - Date.parse(String(kept['savedAt']));
    return Number.isFinite(ageMs) ? { value: kept['value'], ageMs: Math.max(0, ageMs) } : undefined;
  }

  return {
    load: (question) => read(fileOf(question)),
    async save(question, value) {
      const kept = JSON.stringify({ registry, savedAt: now().toISOString(), value });
      try {
        await editFile(fileOf(question), () => kept);
        await prune(folder);
      } catch {
        // What cannot be kept is asked for again.
      }
    },
    async all() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
      const kept = await Promise.all(names.map((name) => read(join(folder, name))));
      return kept.flatMap((answer) => answer ?? []).sort((a, b) => a.ageMs - b.ageMs);
    },
  };
}

async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name));
  if (names.length <= MAX_FILES) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - MAX_FILES))
    await rm(join(folder, name), { force: true });
}

function parse(text: string | undefined): Readonly<Record<string, JsonValue | undefined>> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
