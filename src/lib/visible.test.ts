import { describe, expect, it } from 'vitest';
import { toVisible, toVisibleLine } from './visible.ts';

describe('text of others', () => {
  it('shows what would move the cursor, hide or turn around what is beside it', () => {
    expect(toVisible('a\u001b[1A\u001b[2Kb\r\u009bc')).toBe('a\\u{1b}[1A\\u{1b}[2Kb\\u{d}\\u{9b}c');
    expect(toVisible('gnp\u202Eexe\u2028x\u007f\u{e0001}')).toBe(
      'gnp\\u{202e}exe\\u{2028}x\\u{7f}\\u{e0001}',
    );
  });

  it('keeps lines and tabs, letters of every script and pictures', () => {
    expect(toVisible('a\n\tb é 中 🙂')).toBe('a\n\tb é 中 🙂');
  });

  it('stays one line where one was meant', () => {
    expect(toVisibleLine('github\nwrites: nothing')).toBe('github\\u{a}writes: nothing');
  });
});
