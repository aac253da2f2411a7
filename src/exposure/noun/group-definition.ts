/** One tool out of several: what a client is shown for a group. */
import type { Entry } from '../../catalog/catalog.ts';
import type { Definition } from '../../model/mcp.ts';
import { toGroupAnnotations } from './annotations.ts';
import type { InputParts } from './input-parts.ts';
import { mergeParameters } from './merge-parameters.ts';
import { tells, toOpening } from './short-text.ts';
import { toWords } from './words.ts';

/** A tool in a group. */
export interface Member {
  readonly action: string;
  readonly entry: Entry;
  readonly input: InputParts;
}

/** How long the note on one action may be. */
const MAX_NOTE = 200;
/** A note has to tell this many words that the action's name does not. */
const MIN_NEW_WORDS = 2;

/** Defines a group under a name; undefined when its tools cannot be told in one schema. */
export function toGroupDefinition(
  name: string,
  noun: string,
  members: readonly Member[],
  brief: boolean,
): Definition | undefined {
  const merged = mergeParameters(members, brief);
  if (!merged) return undefined;
  const annotations = toGroupAnnotations(members.map(({ entry }) => entry.definition));
  // Actions answer in different shapes: there is no output schema that is true of them all and says anything.
  return {
    name,
    description: toDescription(noun, brief ? [] : members, merged.stars),
    inputSchema: merged.schema,
    ...(annotations ? { annotations } : {}),
  };
}

function toDescription(noun: string, members: readonly Member[], stars: boolean): string {
  const notes = members.flatMap((member) => {
    const note = toNote(noun, member);
    return note === '' ? [] : [`${member.action}: ${note}`];
  });
  const head = `${toWords(noun).join(' ') || noun}${stars ? ' (*: required)' : ''}`;
  return [head, ...notes].join('. ');
}

/** What an action does, where its name does not say it. */
function toNote(noun: string, { action, entry }: Member): string {
  const { description } = entry.definition;
  if (typeof description !== 'string') return '';
  const note = toOpening(description, MAX_NOTE);
  const names = [action, noun, entry.upstream, entry.name];
  return tells(note, () => names.flatMap(toWords), MIN_NEW_WORDS) ? note : '';
}
