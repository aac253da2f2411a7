import { expect, it } from 'vitest';
import { createFakeUpstreams } from '../../../test/support/fake-upstreams.ts';
import { answerQuestion } from './questions.ts';

it('reads kept values anew before a restart, and not for a mere question', async () => {
  const upstreams = createFakeUpstreams({ a: { tools: ['x'] }, b: { tools: ['y'] } });
  const steps: string[] = [];
  const gateway = {
    upstreams,
    refresh: async () => void steps.push('refresh'),
  };
  expect((await answerQuestion({ ask: 'status' }, gateway)).servers).toHaveLength(2);
  expect(steps).toEqual([]);
  const { servers } = await answerQuestion({ ask: 'restart', upstream: 'a' }, gateway);
  expect(servers.map(({ id }) => id)).toEqual(['a']);
  expect(steps).toEqual(['refresh']);
});

it('sends what servers wrote to stderr only to whoever asks for it', async () => {
  const upstreams = createFakeUpstreams({ a: { tools: ['x'] } });
  const [one] = upstreams.all;
  if (!one) throw new Error('there is no server');
  const { status } = one;
  Object.assign(one, { status: async () => ({ ...(await status()), stderr: ['a line'] }) });
  const gateway = { upstreams, refresh: async () => {} };
  const ask = async (more: object) => (await answerQuestion({ ask: 'status', ...more }, gateway)).servers;
  expect(await ask({})).toMatchObject([{ stderr: [] }]);
  expect(await ask({ stderr: true })).toMatchObject([{ stderr: ['a line'] }]);
});
