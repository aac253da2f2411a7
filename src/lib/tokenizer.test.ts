import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { createTokenizer } from './tokenizer.ts';

describe('the tokenizer', () => {
  it('counts as o200k_base does, several texts at once, in their order', async () => {
    using tokenizer = createTokenizer();
    const texts = ['', 'hello world', '{"type":"object"}', '漢字かな', 'a'.repeat(1000)];
    expect(await tokenizer.count(texts)).toEqual(texts.map((text) => countTokens(text)));
  });

  it('counts words that mean something to a model as plain text', async () => {
    using tokenizer = createTokenizer();
    const [count] = await tokenizer.count(['<|endoftext|>']);
    expect(count).toBeGreaterThan(1);
  });

  it('starts again after its thread was let go of', async () => {
    using tokenizer = createTokenizer(1);
    const [first] = await tokenizer.count(['one two']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await tokenizer.count(['one two'])).toEqual([first]);
  });

  it('leaves nobody waiting when it is ended', async () => {
    const tokenizer = createTokenizer();
    const counting = tokenizer.count(['never']);
    tokenizer[Symbol.dispose]();
    await expect(counting).rejects.toThrow('ended');
  });
});
