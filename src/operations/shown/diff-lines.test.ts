import { expect, it } from 'vitest';
import { toDiffLines } from './diff-lines.ts';

it('shows of a long line the part around what changes', () => {
  const [left, right] = ['a'.repeat(50_000), 'z'.repeat(50_000)];
  const lines = toDiffLines('/f', `${left}${right}\n`, `${left}"evil"${right}\n`);
  const added = lines.find((line) => line.startsWith('+…')) ?? '';
  expect(added).toContain('"evil"');
  expect(added).toMatch(/… \(\d+ more characters\)$/);
  for (const line of lines) expect(line.length).toBeLessThan(2_100);
});

it('shows a line that was added alone from its beginning', () => {
  const lines = toDiffLines('/f', '', `evil${'x'.repeat(3_000)}\n`);
  expect(lines.at(-1)).toMatch(/^\+evilx+… \(1004 more characters\)$/);
});

it('shows up to a thousand lines and counts the rest', () => {
  const text = Array.from({ length: 3_000 }, (_, at) => `line ${at}\n`).join('');
  const lines = toDiffLines('/f', undefined, text);
  expect(lines).toHaveLength(1_001);
  expect(lines.at(-1)).toBe('(and 2003 more lines)');
});

it('lets secrets be taken out of whole lines, before they are cut', () => {
  const secret = 'x'.repeat(5_000);
  const hide = (line: string) => line.replaceAll(secret, '(hidden)');
  expect(toDiffLines('/f', '', `a=${secret}\n`, { hide }).at(-1)).toBe('+a=(hidden)');
});
