/** What the tool of an upstream is called, and whose tool a name is. */
import { toOwnName } from '../own-names.ts';
import { DISCOVER, TOOLS } from './definitions.ts';

/** Words that name tools of ours in one mode or another. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  TOOLS,
  DISCOVER,
  'check_status',
  'client',
  'config',
  'profile',
  'project',
  'server',
  'share',
  'system',
]);
const SUFFIX = '_server';

/** The word for an upstream among our names; one that is a word of ours already is told apart. */
export function toCategoryWord(id: string): string {
  return OWN_WORDS.has(id) ? `${id}${SUFFIX}` : id;
}

/** The name of an upstream's tool. */
export function toCategoryName(namespace: string, id: string): string {
  return toOwnName(namespace, toCategoryWord(id));
}

/** The id of the upstream a word stands for; undefined for a word of ours. */
export function fromCategoryWord(word: string): string | undefined {
  const id = word.endsWith(SUFFIX) ? word.slice(0, -SUFFIX.length) : word;
  return [id, word].find((candidate) => toCategoryWord(candidate) === word);
}
