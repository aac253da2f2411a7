import { expect, it } from 'vitest';
import { type EntryText, mapEntryTexts } from './entry-walk.ts';

const ENTRY = {
  command: 'npx',
  args: ['-y', 'some-server', '--token', 'abc', 5],
  cwd: '/srv',
  env: { NODE_OPTIONS: '-r x', LEVEL: 'debug', RETRIES: 3 },
  headers: { Cookie: 'a=1' },
  auth: { type: 'basic', inner: { user: 'me' } },
  tags: ['work'],
  enabled: true,
};

it('comes to every text, and says what it is called and whether it decides what runs', () => {
  const seen: EntryText[] = [];
  const same = mapEntryTexts(ENTRY, (text) => {
    seen.push(text);
    return text.text;
  });
  expect(same).toEqual(ENTRY);
  const lines = seen.map(
    ({ place, name, text, decidesWhatRuns }) => `${place} ${name}=${text}${decidesWhatRuns ? ' runs' : ''}`,
  );
  expect(lines).toEqual([
    'member command=npx runs',
    'argument =-y',
    'argument y=some-server runs',
    'argument =--token',
    'argument token=abc',
    'member cwd=/srv runs',
    'value NODE_OPTIONS=-r x runs',
    'value LEVEL=debug',
    'value Cookie=a=1',
    'member type=basic',
    'member user=me',
  ]);
});

it('puts what it is given in the place of each', () => {
  expect(mapEntryTexts(ENTRY, ({ name }) => name)).toMatchObject({
    args: ['', 'y', '', 'token', 5],
    env: { NODE_OPTIONS: 'NODE_OPTIONS', RETRIES: 3 },
    auth: { inner: { user: 'user' } },
    tags: ['work'],
  });
});
