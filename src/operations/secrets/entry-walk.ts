/** Walks through every text of a server entry that may hold a secret, and says what each is to whoever runs it. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { changesWhatRuns, findProgramText, findShortPassword } from './program-text.ts';

/** One text of an entry. */
export interface EntryText {
  /** What it is: a value that the server is given, an argument, or any other member. */
  readonly place: 'value' | 'argument' | 'member';
  /** The variable, header or member it stands under, or the flag before it; empty when there is none. */
  readonly name: string;
  readonly text: string;
  /** True for what says which program runs, or what is loaded into it, and where. */
  readonly decidesWhatRuns: boolean;
}

/** The same entry with something in the place of each text. */
export function mapEntryTexts(entry: JsonObject, map: (text: EntryText) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => {
      if (key === 'env' && isJsonObject(value)) return [key, mapVariables(value, map)];
      if (key === 'headers' && isJsonObject(value)) return [key, mapMembers(value, 'value', map)];
      if (key === 'args' && Array.isArray(value))
        return [key, mapArgs(value as readonly JsonValue[], entry['command'], map)];
      if (isJsonObject(value)) return [key, mapMembers(value, 'member', map)];
      if (typeof value !== 'string') return [key, value];
      const decidesWhatRuns = key === 'command' || key === 'cwd';
      return [key, map({ place: 'member', name: key, text: value, decidesWhatRuns })];
    }),
  );
}

type MapText = (text: EntryText) => string;

function mapVariables(env: JsonObject, map: MapText): JsonObject {
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => {
      if (typeof text !== 'string') return [name, text];
      return [name, map({ place: 'value', name, text, decidesWhatRuns: changesWhatRuns(name) })];
    }),
  );
}

function mapMembers(members: JsonObject, place: 'value' | 'member', map: MapText): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (isJsonObject(value)) return [name, mapMembers(value, place, map)];
      if (typeof value !== 'string') return [name, value];
      return [name, map({ place, name, text: value, decidesWhatRuns: false })];
    }),
  );
}

const PASSWORD = { place: 'argument', name: 'password', decidesWhatRuns: false } as const;

/** A few letters behind one dash may be several flags in one, as in `watch -pw program`, and name nothing. */
const FLAG = /^(?:--|-(?![A-Za-z]{2,3}$))([\w.-]+)$/;

/** What stands behind `--token` has that name. */
function mapArgs(
  args: readonly JsonValue[],
  given: JsonValue | undefined,
  map: MapText,
): readonly JsonValue[] {
  const command = typeof given === 'string' ? given : undefined;
  const program = findProgramText(command, args);
  const short = findShortPassword(command, args);
  return args.map((text, at) => {
    if (typeof text !== 'string') return text;
    if (short?.at === at) return `${short.head}${map({ ...PASSWORD, text: short.value })}`;
    const before = args[at - 1];
    const flag = typeof before === 'string' ? FLAG.exec(before)?.[1] : undefined;
    return map({ place: 'argument', name: flag ?? '', text, decidesWhatRuns: program.has(at) });
  });
}
