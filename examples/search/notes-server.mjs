// A second server, so that there is something to choose from; it speaks the modern era.
import { serveTiny, texts } from './tiny-server.mjs';

const notes = [];

await serveTiny({
  name: 'notes',
  title: 'Notes',
  era: 'modern',
  tools: [
    {
      name: 'add_note',
      description: 'Write a note down for later.',
      inputSchema: texts({ text: 'What to remember' }),
      run({ text }) {
        notes.push(text);
        return `noted: ${text}`;
      },
    },
    {
      name: 'find_notes',
      description: 'Find notes that hold a word.',
      inputSchema: texts({ word: 'The word to look for' }),
      annotations: { readOnlyHint: true },
      run: ({ word }) => notes.filter((note) => note.includes(word)).join('\n'),
    },
  ],
});
