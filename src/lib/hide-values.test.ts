import { describe, expect, it } from 'vitest';
import { createHide } from './hide-values.ts';

describe('what a program says', () => {
  it('does not repeat the values it was given', () => {
    const hide = createHide(['sk-1234567890', 'sk-1234567890-longer', 'pass word 1!']);
    expect(hide('refused sk-1234567890-longer, sk-1234567890 and pass word 1!')).toBe(
      'refused (hidden), (hidden) and (hidden)',
    );
  });

  it('still names places and plain words', () => {
    const hide = createHide(['/var/lib/data1', 'https://example.org/v2', 'production', 'debug', '1']);
    const said = 'cannot open /var/lib/data1 of https://example.org/v2 in production (debug 1)';
    expect(hide(said)).toBe(said);
  });
});
