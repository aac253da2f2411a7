/** A small blog as somebody might keep it, for pictures and for the eye. */
import type { JsonObject } from '../../src/model/json.ts';

/** The settings of the sample. */
export const SAMPLE_SETTINGS: JsonObject = {
  action: 'set',
  title: 'Loose Threads',
  tagline: 'Notes on mending, making and keeping things',
  author: 'Marta Lind',
};

/** Its posts, the oldest first, each with the day it was published. */
export const SAMPLE_POSTS: readonly (readonly [day: string, post: JsonObject])[] = [
  [
    '2026-03-02',
    {
      title: 'Why I still keep a paper notebook',
      tags: 'notes, paper',
      content:
        'A notebook cannot ring, and nothing in it is ever out of date. I carry one since the winter of the long trains, and it has outlived three telephones. What I write by hand I remember; what I type I can search. The two are not rivals.',
    },
  ],
  [
    '2026-04-19',
    {
      title: 'A kitchen table, taken apart',
      tags: 'wood, repair',
      content:
        'The table came from my grandmother, with a leg that had been loose since before I was born. It turned out that nobody had ever looked underneath. One wedge, some hide glue and two evenings later it stands as it did in 1931.',
    },
  ],
  [
    '2026-05-27',
    {
      title: 'Crème brûlée für Anfänger',
      tags: 'kitchen',
      content:
        'Vier Eigelb, ein halber Liter Sahne, eine Schote Vanille, und Geduld. Alles andere ist Hitze, und davon braucht man weniger, als man denkt.',
    },
  ],
  [
    '2026-06-14',
    {
      title: 'The quiet art of darning',
      tags: 'cloth, repair, wool',
      excerpt:
        'A hole in a sock is a small loom waiting for a thread. What to use, how to begin, and why the second sock takes half as long as the first.',
      content: `A hole in a sock is a small loom waiting for a thread. You lay one set of threads across it, weave a second set through them, and where there was nothing there is cloth again. It takes **twenty minutes** and the sock lives for another three winters.

## What you need

- a darning needle with a blunt tip,
- wool of about the thickness of the sock, and
- something round to stretch it over: a *darning mushroom*, an orange, a light bulb that no longer works.

> Match the weight of the yarn before you match its colour. A mend that is too thick makes a blister; a mend in the wrong blue makes a conversation.

### How much yarn

The thread should cross the hole and a centimetre of sound cloth on either side. As a rule:

| Hole | Rows | Yarn |
| :-- | --: | --: |
| a pea | 8 | 40 cm |
| a coin | 16 | 1.2 m |
| a heel | 40 | 6 m |

## The pattern

Over one, under one, and the other way round on the way back. Written down it looks like this:

\`\`\`text
o u o u o u o u
u o u o u o u o
o u o u o u o u
\`\`\`

Leave a loop of \`2 mm\` at every turn: wool shrinks in the first wash, and the loop is what it shrinks into. [The museum's collection of samplers](https://example.org/samplers) shows how far this can be taken.

---

1. Begin in sound cloth, not at the edge.
2. Do not knot. A knot is a pebble in a shoe.
3. Press the mend while it is damp, and wear it at once.`,
    },
  ],
];
