/** Authors taken apart. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../../../test/support/quickest.ts';
import { parseAuthors } from './names.ts';

const doe = { family: 'Doe', given: 'J. A.' };
const roe = { family: 'Roe', given: 'R.' };

describe('authors', () => {
  it.each([
    ['Doe, J. A.', [doe]],
    ['Doe, J. A. & Roe, R.', [doe, roe]],
    ['Doe, J. A., & Roe, R.', [doe, roe]],
    ['Doe, J. A., Roe, R., & Poe, E.', [doe, roe, { family: 'Poe', given: 'E.' }]],
    ['Doe, J. A., Roe, R.', [doe, roe]],
    [
      'Doe, Jane; Roe, Richard',
      [
        { family: 'Doe', given: 'Jane' },
        { family: 'Roe', given: 'Richard' },
      ],
    ],
    [
      'Doe, Jane and Roe, Richard',
      [
        { family: 'Doe', given: 'Jane' },
        { family: 'Roe', given: 'Richard' },
      ],
    ],
    ['King, Martin Luther, Jr.', [{ family: 'King', given: 'Martin Luther', suffix: 'Jr.' }]],
    ['J. A. Doe', [doe]],
    ['van Gogh, Vincent', [{ family: 'van Gogh', given: 'Vincent' }]],
    ['García Márquez, Gabriel', [{ family: 'García Márquez', given: 'Gabriel' }]],
    ['Doe, J. A., et al.', [doe]],
    ['World Health Organization', [{ literal: 'World Health Organization' }]],
    ['Johnson & Johnson', [{ literal: 'Johnson & Johnson' }]],
    ['Department of Health and Human Services', [{ literal: 'Department of Health and Human Services' }]],
    ['University of California, Berkeley', [{ literal: 'University of California, Berkeley' }]],
    ['Doe, J. A.; World Bank', [doe, { literal: 'World Bank' }]],
    ['Doe, J. A. & World Bank', [doe, { literal: 'World Bank' }]],
    ['{Barnes and Noble}', [{ literal: 'Barnes and Noble' }]],
    ['Jane Doe', [{ literal: 'Jane Doe' }]],
    ['夏目漱石', [{ literal: '夏目漱石' }]],
    ['', []],
    [' ; , ', []],
  ])('reads %j', (text, names) => {
    expect(parseAuthors(text)).toEqual(names);
  });

  it('never throws and never makes an empty name, whatever is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        for (const name of parseAuthors(text)) {
          expect('literal' in name ? name.literal.trim() : name.family.trim()).not.toBe('');
        }
      }),
    );
  });

  it('reads back every list of people it is given in its own form', () => {
    const word = fc.stringMatching(/^[A-Z][a-z]{2,8}$/);
    const person = fc.record({ family: word, given: fc.stringMatching(/^[A-Z]\.( [A-Z]\.)?$/) });
    // Neither an institution nor, behind another name, the end of that name: nobody can tell "Doe, A., Iii, B." apart.
    const isPlain = (family: string) =>
      [`${family}, A.`, `Doe, A., ${family}, A.`].every((text) => {
        const last = parseAuthors(text).at(-1);
        return last !== undefined && 'family' in last && last.family === family;
      });
    fc.assert(
      fc.property(
        fc.array(
          person.filter((one) => isPlain(one.family)),
          { minLength: 1, maxLength: 5 },
        ),
        (people) => {
          const texts = people.map((one) => `${one.family}, ${one.given}`);
          expect(parseAuthors(texts.join('; '))).toEqual(people);
          expect(parseAuthors(texts.join(', '))).toEqual(people);
          expect(parseAuthors(texts.join(' & '))).toEqual(people);
        },
      ),
    );
  });

  it('stays fast on text made to be slow', async () => {
    const took = await quickestOf(3, () => {
      for (const unit of ['A. ', 'A, ', ' and ', '& ', 'A.-']) parseAuthors(unit.repeat(1000).slice(0, 1000));
    });
    expect(took).toBeLessThan(500);
  });
});
