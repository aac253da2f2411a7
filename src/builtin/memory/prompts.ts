/** The texts a person can call for: how to begin, and how everything is meant. */
import type { BuiltinPrompt } from '../builtin.ts';
import { PLATFORMS, toGuide } from './context/guide.ts';
import { readSections } from './context/sections.ts';
import type { Memory } from './context.ts';

const AT_START = ['session_protocol', 'memory_protocol'];

/** Said when both sections are switched off. */
const NOTHING_TO_SAY = 'No particular way of beginning a conversation is asked for here.';

/** Creates the prompts; one of them carries the namespace in its name. */
export function createMemoryPrompts(namespace: string): readonly BuiltinPrompt<Memory>[] {
  return [
    {
      name: 'session-start',
      title: 'Start of a session',
      description: 'How to begin and end a conversation with a memory',
      async get(_, memory) {
        const sections = await readSections(memory, memory.device);
        const told = AT_START.flatMap((key) => sections.filter((section) => section.key === key));
        if (told.length === 0) return NOTHING_TO_SAY;
        return told.map(({ title, content }) => `## ${title}\n\n${content}`).join('\n\n');
      },
    },
    {
      name: `${namespace}-guide`,
      title: 'Guide',
      description: 'The whole context as one document',
      arguments: [{ name: 'platform', description: 'the client it is for', values: PLATFORMS }],
      get: ({ platform = 'generic' }, memory) =>
        toGuide(memory, { platform: platform.toLowerCase(), device: undefined, withMemories: false }),
    },
  ];
}
