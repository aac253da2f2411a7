import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS, type Requirement } from './requirements.ts';

const SPEC =
  /^https:\/\/modelcontextprotocol\.io\/specification\/\d{4}-\d{2}-\d{2}\/[a-z/-]+(#[a-z0-9_-]+)?$/;

/** True when a test of that title, literal or a pattern of `each`, begins in the file, or a cell of its matrix. */
function isProven({ file, test }: Requirement): boolean {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  if (!existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  return isTitle(text, test) || isCell(text, test);
}

function isTitle(text: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const at = text.indexOf(`${quote}${title}${quote}`);
    return at !== -1 && /\bit\(\s*$|[)\]]\(\s*$/.test(text.slice(0, at));
  });
}

function isCell(text: string, name: string): boolean {
  const isMatrix = text.includes('it.each(Object.keys(CELLS))');
  return isMatrix && [`\n  async ${name}(`, `\n  async '${name}'(`].some((start) => text.includes(start));
}

describe('the requirements', () => {
  it('are all proven by a test that exists', () => {
    expect(REQUIREMENTS.filter((row) => !isProven(row)).map(({ id }) => id)).toEqual([]);
  });

  it('have an id each, a sentence each and a place in the specification', () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.filter((id) => !/^(?:legacy|modern|upstream)(?:\.[a-z0-9-]+){2}$/.test(id))).toEqual([]);
    expect(REQUIREMENTS.filter(({ must }) => must === '' || must.endsWith('.'))).toEqual([]);
    expect(REQUIREMENTS.filter(({ spec }) => !SPEC.test(spec)).map(({ spec }) => spec)).toEqual([]);
  });

  it('cover both faces and both eras', () => {
    for (const face of ['legacy', 'modern', 'upstream'])
      expect(REQUIREMENTS.filter(({ id }) => id.startsWith(`${face}.`)).length).toBeGreaterThan(20);
  });
});
