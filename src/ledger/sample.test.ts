import { expect, it } from 'vitest';
import { toSample } from './sample.ts';

const text = (value: string) => ({ type: 'text', text: value });

it('takes the beginning of what a model would read, and the length of all of it', () => {
  const content = [text('short '), text('ä'.repeat(10_000)), text('never seen')];
  expect(toSample({ content })).toEqual({ chars: 10_016, text: `short ${'ä'.repeat(3_994)}` });
});

it('finds the text of embedded resources, and none where there is none', () => {
  const content = [{ type: 'resource', resource: { uri: 'a:b', text: 'inside' } }, { type: 'image' }, 'odd'];
  expect(toSample({ content })).toEqual({ chars: 6, text: 'inside' });
  expect(toSample({})).toEqual({ chars: 0, text: '' });
});
