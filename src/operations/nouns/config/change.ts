/** One setting changed: checked, its secrets sealed, and shown before it is written. */
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { toPathText } from '../../../config/faults.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { refusing } from '../../../errors/refusing.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import { refuseForeignEdits } from '../../files/own-file.ts';
import type { House } from '../../house.ts';
import { isStillToDo } from '../../intake/intake.ts';
import { type DraftSecrets, draftSecrets, sealEach } from '../../secrets/draft-secrets.ts';
import { sealSecrets } from '../../secrets/secret-values.ts';
import { findConfigured } from '../../servers/server-entries.ts';
import { findNameFault, toNewNames } from '../../shown/config-servers.ts';
import { at } from '../../shown/documents.ts';
import { toShown } from '../../shown/quote.ts';
import { findKey, type Key, toTypes } from './keys.ts';

/** A change that would work. */
export interface Change {
  readonly key: Key;
  readonly file: string;
  /** The text of the file; undefined when there is none yet. */
  readonly text: string | undefined;
  /** The text it would have. */
  readonly afterText: string | undefined;
  /** The documents as they are written. */
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly edits: readonly ConfigEdit[];
  readonly secrets: DraftSecrets | undefined;
}

/** Works out a change; throws what is wrong with it. Writes nothing. */
export async function prepareChange(house: House, text: string, given: string | undefined): Promise<Change> {
  const content = await house.config.read();
  const key = findKey(text, content.value);
  refuseUnknownServer(key, content, given);
  const value = given === undefined ? undefined : toValue(given, toTypes(key.nodes));
  const isNothing = value === undefined && at(content.value, key.path) === undefined;
  const raw: readonly ConfigEdit[] = isNothing
    ? []
    : [...makeRoom(content.value, key.path), { path: key.path, value }];
  refuseForeignEdits(content.path, raw);
  const { after: first } = await house.config.preview(raw).catch((error: unknown) => {
    throw toRefusal(error, value);
  });
  const { value: tried } = first;
  refuseStrangeNames(content.value, tried);
  const sealed = value === undefined ? undefined : await seal(key, value, tried, house);
  const edits = sealed ? [...raw.slice(0, -1), sealed.edit] : raw;
  const { text: afterText, value: after } = sealed ? (await house.config.preview(edits)).after : first;
  const { path: file, text: written, value: before } = content;
  return { key, file, text: written, afterText, before, after, edits, secrets: sealed?.secrets };
}

/** The file was well before, so the fault is in what was given, and not on a line that somebody could look up. */
function toRefusal(error: unknown, value: JsonValue | undefined): unknown {
  const faults = error instanceof GatewayError ? error.data['faults'] : undefined;
  if (!(error instanceof GatewayError) || !Array.isArray(faults)) return error;
  const said = faults.filter(isJsonObject).map(({ path, problem }) => `${String(path)}: ${String(problem)}`);
  const what = value === undefined ? 'it cannot be taken away' : 'the value does not fit';
  const message = `${what}, and nothing was changed. ${said.join('; ')}`;
  return new GatewayError(error.code, message, { data: error.data });
}

/** Writes a change, with its secrets, unless somebody else has changed the same since; gives the path of a copy of the file as it was. */
export async function writeChange(house: House, change: Change): Promise<string | undefined> {
  const { file, secrets, after } = change;
  const wayOut = 'choose another data directory with --home';
  const toEdits = ({ value }: ConfigContent) => toEditsNow(change, value);
  const write = () => refusing(file, 'written', () => house.config.edit(toEdits), wayOut);
  return (await (secrets?.saveFor(after, write) ?? write())).backup;
}

/** The edits in the document as it is now: what makes room for the value was worked out from how it was. */
function toEditsNow({ file, before, edits }: Change, now: JsonObject): readonly ConfigEdit[] {
  const edit = edits.at(-1);
  if (!edit || !isStillToDo(edit, before, now, file)) return [];
  return edit.value === undefined ? [edit] : [...makeRoom(now, edit.path), edit];
}

/** What decides how a server is reached can make a new one; anything else needs one that is there. */
const MAKES_SERVER: ReadonlySet<unknown> = new Set(['command', 'url', undefined]);

function refuseUnknownServer(
  { path }: Key,
  content: Parameters<typeof findConfigured>[0],
  given: string | undefined,
): void {
  const [section, name, member] = path;
  if (section !== 'mcpServers' || name === undefined || at(content.value, [section, name]) !== undefined)
    return;
  if (given !== undefined && MAKES_SERVER.has(member)) return;
  const { name: meant, builtin } = findConfigured(content, String(name));
  throw new GatewayError(
    'NAME_UNKNOWN',
    `mcpServers has no ${JSON.stringify(name)}; did you mean ${toPathText([builtin ? 'builtin' : section, meant])}?`,
  );
}

function refuseStrangeNames(before: JsonObject, after: JsonObject): void {
  for (const name of toNewNames(before, after)) {
    const fault = findNameFault(name);
    if (fault !== undefined)
      throw new GatewayError(
        'INVALID_PARAMS',
        `${toShown(name)} cannot be the name of a server: ${fault}; choose another`,
      );
  }
}

/** A text as the schema wants it: numbers, booleans, lists and objects as JSON, texts as they are. */
function toValue(text: string, types: ReadonlySet<string>): JsonValue {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
  if (types.has(toType(parsed))) return parsed;
  const isNumber = typeof parsed === 'number' && (types.has('integer') || types.has('number'));
  // What fits no type is refused by the check in the words of the schema.
  return types.has('string') && !isNumber ? text : parsed;
}

function toType(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** `true` stands for a section with nothing in it; to put something in, it has to become one. */
function makeRoom(document: JsonObject, path: readonly (string | number)[]): readonly ConfigEdit[] {
  for (let length = 1; length < path.length; length++) {
    const above = path.slice(0, length);
    const value = at(document, above);
    if (value === true) return [{ path: above, value: {} }];
    if (value === undefined || typeof value === 'object') continue;
    throw new GatewayError(
      'INVALID_PARAMS',
      `${toPathText(above)} is ${JSON.stringify(value)}, so nothing can be set in it; set it to true first`,
    );
  }
  return [];
}

/** Secrets of servers and of what is built in go into the store; the file refers to them. */
async function seal(
  { path }: Key,
  value: JsonValue,
  tried: JsonObject,
  house: House,
): Promise<{ edit: ConfigEdit; secrets: DraftSecrets } | undefined> {
  const [section, owner, ...rest] = path;
  if (section !== 'mcpServers' && section !== 'builtin') return undefined;
  if (owner === undefined) return sealSection(section, value, house);
  const inList = rest.findIndex((part) => typeof part === 'number');
  // Whether one argument is a secret is told by the one before it, so a list is judged as a whole.
  const upTo = inList === -1 ? rest : rest.slice(0, inList);
  const whole = inList === -1 ? value : at(tried, [section, owner, ...upTo]);
  const entry = wrap(upTo, whole);
  if (!isJsonObject(entry) || !hasText(entry)) return undefined;
  const secrets = await draftSecrets(house);
  const sealed = at(await sealSecrets(String(owner), entry, secrets), upTo);
  if (JSON.stringify(sealed) === JSON.stringify(whole)) return undefined;
  return { edit: { path: [section, owner, ...upTo], value: sealed }, secrets };
}

async function sealSection(
  section: string,
  value: JsonValue,
  house: House,
): Promise<{ edit: ConfigEdit; secrets: DraftSecrets } | undefined> {
  if (!hasText(value)) return undefined;
  const secrets = await draftSecrets(house);
  const sealed = await sealEach(value, secrets);
  if (JSON.stringify(sealed) === JSON.stringify(value)) return undefined;
  return { edit: { path: [section], value: sealed }, secrets };
}

/** The store need not be opened for what holds no text. */
function hasText(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasText);
}

function wrap(path: readonly (string | number)[], value: JsonValue | undefined): JsonValue | undefined {
  return [...path].reverse().reduce<JsonValue | undefined>((inner, key) => ({ [key]: inner ?? null }), value);
}
