/** Colours that everybody can tell apart. */
import { describe, expect, it } from 'vitest';
import { THEMES } from '../tables.ts';
import { toStyleSheet } from './themes.ts';

type Palette = Readonly<Record<string, string>>;

/** Every set of colours in a style sheet, by day, by night and on paper. */
function toPalettes(css: string): readonly Palette[] {
  return [...css.matchAll(/--paper:[^}]*/g)].map(([text]) =>
    Object.fromEntries(
      [...text.matchAll(/--(\w+):(#[0-9a-f]{3,6})/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  );
}

function toLuminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toContrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [toLuminance(a), toLuminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(THEMES)('the theme %s', (theme) => {
  const css = toStyleSheet(theme, undefined);

  it('keeps the contrast that small text needs, in every palette', () => {
    const palettes = toPalettes(css);
    expect(palettes.length).toBe(theme === 'dark' ? 2 : 3);
    for (const { paper = '', soft = '', ink = '', muted = '', accent = '' } of palettes) {
      for (const ground of [paper, soft]) {
        expect(toContrast(ink, ground)).toBeGreaterThan(7);
        expect(toContrast(muted, ground)).toBeGreaterThan(4.5);
        expect(toContrast(accent, ground)).toBeGreaterThan(4.5);
      }
    }
  });

  it('follows the reader, unless it is dark by name', () => {
    expect(css.includes('prefers-color-scheme:dark')).toBe(theme !== 'dark');
    expect(css).toContain('@media print');
  });
});
