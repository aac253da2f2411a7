/** Decides which tools of one server are folded together, and what each is called inside, from their names alone. */
import { type ParsedName, startsWith } from './parse-name.ts';
import { toSingular, toWords } from './words.ts';

/** One tool in a group. */
export interface NamedAction {
  /** What its server calls the tool. */
  readonly name: string;
  readonly action: string;
}

/** Tools of one noun. */
export interface NamedGroup {
  readonly noun: string;
  readonly members: readonly NamedAction[];
  /** True when the configuration asked for exactly this group. */
  readonly asked: boolean;
}

/** What the configuration says of one server's groups: tools by group, or false for a group never made. */
export type GroupWishes = Readonly<Record<string, readonly string[] | false>>;

/** A group with so many tools stands on its own even where a wider one would take it in. */
const ENOUGH = 3;

/** Nouns of more words than this do not join a known one by their last. */
const MAX_ENDED = 2;

type Key = readonly string[];
const toText = (key: Key): string => key.join('_');

/** Groups names; the outcome follows from the set of names and the wishes, not from their order. */
export function groupNames(parsed: readonly ParsedName[], wishes: GroupWishes = {}): NamedGroup[] {
  const sorted = [...parsed].sort((a, b) => (a.name < b.name ? -1 : 1));
  const asked = Object.entries(wishes).flatMap(([noun, names]) =>
    names === false ? [] : [{ noun, tools: sorted.filter(({ name }) => names.includes(name)) }],
  );
  const spoken = new Set(asked.flatMap(({ tools }) => tools));
  const found = group(sorted.filter((tool) => !spoken.has(tool))).filter(
    ({ noun }) => wishes[noun] === undefined,
  );
  return [
    ...asked.map((each) => toGroup(each.noun, each.tools, true)),
    ...found.map((each) => toGroup(each.noun, each.tools, false)),
  ]
    .filter(({ members }) => members.length > 1)
    .sort((a, b) => (a.noun < b.noun ? -1 : 1));
}

interface FoundGroup {
  readonly noun: string;
  readonly tools: readonly ParsedName[];
}

function group(tools: readonly ParsedName[]): FoundGroup[] {
  const keys = new Map<ParsedName, Key>();
  const groups = () => toBuckets(tools, (tool) => keys.get(tool));
  joinEqual(tools, keys);
  joinBeginnings(tools, keys, groups());
  joinEndings(tools, keys, groups());
  // What is left has only what the server writes on every name in common, as `git_add` and `git_log` have.
  const settled = groups();
  for (const tool of tools) {
    const text = toText(keys.get(tool) ?? []);
    if (text === '' || (settled.get(text)?.length ?? 0) < 2) keys.set(tool, tool.shared);
  }
  return [...groups()].map(([noun, members]) => ({ noun, tools: members })).filter(({ noun }) => noun !== '');
}

/** Tools with the very same noun. */
function joinEqual(tools: readonly ParsedName[], keys: Map<ParsedName, Key>): void {
  for (const tool of tools) keys.set(tool, tool.key);
}

/** A noun few tools have joins the shorter noun it begins with: `pull request files` belongs to `pull request`. */
function joinBeginnings(
  tools: readonly ParsedName[],
  keys: Map<ParsedName, Key>,
  equal: ReadonlyMap<string, readonly ParsedName[]>,
): void {
  const support = new Map<string, number>();
  for (const { key } of tools)
    for (let length = 1; length <= key.length; length++) {
      const text = toText(key.slice(0, length));
      support.set(text, (support.get(text) ?? 0) + 1);
    }
  for (const tool of tools) {
    const own = equal.get(toText(tool.key))?.length ?? 0;
    if (own >= ENOUGH) continue;
    for (let length = tool.key.length - (own > 1 ? 1 : 0); length > 0; length--) {
      const shorter = tool.key.slice(0, length);
      const text = toText(shorter);
      // Two tools of one noun need no wider one, unless that is a noun itself.
      const others = own > 1 ? (equal.get(text)?.length ?? 0) : (support.get(text) ?? 0) - own;
      if (others > 0) {
        keys.set(tool, shorter);
        break;
      }
    }
  }
}

/** A tool still alone joins those whose noun ends alike: `received email` belongs to `email`. */
function joinEndings(
  tools: readonly ParsedName[],
  keys: Map<ParsedName, Key>,
  known: ReadonlyMap<string, readonly ParsedName[]>,
): void {
  const alone = tools.filter((tool) => (known.get(toText(keys.get(tool) ?? []))?.length ?? 0) < 2);
  const endings = toBuckets(alone, ({ key }) => key.slice(-1));
  for (const tool of alone) {
    const ending = tool.key.slice(-1);
    const text = toText(ending);
    const existing = known.get(text)?.length ?? 0;
    // The last of many words is seldom what a noun of its own is about.
    const joins = existing > 1 ? tool.key.length <= MAX_ENDED : (endings.get(text)?.length ?? 0) > 1;
    if (text !== '' && joins) keys.set(tool, ending);
  }
}

function toBuckets(
  tools: readonly ParsedName[],
  keyOf: (tool: ParsedName) => Key | undefined,
): Map<string, ParsedName[]> {
  const buckets = new Map<string, ParsedName[]>();
  for (const tool of tools) {
    const text = toText(keyOf(tool) ?? []);
    const bucket = buckets.get(text);
    if (bucket) bucket.push(tool);
    else buckets.set(text, [tool]);
  }
  return buckets;
}

function toGroup(noun: string, tools: readonly ParsedName[], asked: boolean): NamedGroup {
  const key = toWords(noun).map(toSingular);
  const ways = [(tool: ParsedName) => toAction(tool, key), ({ words }: ParsedName) => toText(words)];
  let members = tools.map((tool) => ({ name: tool.name, action: tool.name }));
  // Tools that would be called alike are told apart by more of their names; the whole names differ in any case.
  for (const toShorter of ways.reverse()) members = shorten(tools, members, toShorter);
  return { noun, members: members.sort((a, b) => (a.action < b.action ? -1 : 1)), asked };
}

/** Renames those members for which the new name is theirs alone. */
function shorten(
  tools: readonly ParsedName[],
  members: readonly NamedAction[],
  toShorter: (tool: ParsedName) => string,
): NamedAction[] {
  const counts = new Map<string, number>();
  const count = (action: string, more: number) => counts.set(action, (counts.get(action) ?? 0) + more);
  for (const { action } of members) count(action, 1);
  for (const [at, tool] of tools.entries())
    if (toShorter(tool) !== members[at]?.action) count(toShorter(tool), 1);
  return members.map((member, at) => {
    const tool = tools[at];
    const action = tool && toShorter(tool);
    return action !== undefined && counts.get(action) === 1 ? { ...member, action } : member;
  });
}

/** What a tool does to the noun of its group, in as few words as its name has for it. */
function toAction(tool: ParsedName, key: Key): string {
  const { verb, noun, tail } = tool;
  const rest = withoutKey(tool, key);
  const action = rest ? [...verb, ...rest, ...tail] : tool.words;
  return toText(action.length > 0 ? action : noun.length > 0 ? noun : tool.words);
}

function withoutKey({ key: own, noun }: ParsedName, key: Key): Key | undefined {
  if (key.length === 0 || own.length === 0) return undefined;
  if (startsWith(own, key)) return noun.slice(key.length);
  return startsWith([...own].reverse(), [...key].reverse()) ? noun.slice(0, -key.length) : undefined;
}
