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
