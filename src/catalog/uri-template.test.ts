import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../test/support/quickest.ts';
import { matchesTemplate } from './uri-template.ts';

describe('URI templates', () => {
  it.each([
    ['file:///{path}', 'file:///etc/hosts', true],
    ['db://{table}/{id}', 'db://users/7', true],
    ['db://{table}/rows/{id}.json', 'db://users/rows/7.json', true],
    ['db://{table}/rows/{id}.json', 'db://users/7.json', false],
    ['test://static', 'test://static', true],
    ['test://static', 'test://static/more', false],
    ['note:///{+path}', 'mail:///x', false],
    ['{scheme}://x', 'anything://x', true],
  ])('%s against %s is %s', (template, uri, expected) => {
    expect(matchesTemplate(template, uri)).toBe(expected);
  });

  it('answers at once for templates and URIs made to be slow', async () => {
    const took = await quickestOf(5, () => {
      expect(matchesTemplate('{a}'.repeat(2_000), 'a'.repeat(8_000))).toBe(true);
      expect(matchesTemplate(`${'{a}x'.repeat(2_000)}y`, 'x'.repeat(8_000))).toBe(false);
    });
    expect(took).toBeLessThan(50);
  });
});
