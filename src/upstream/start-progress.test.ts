import { describe, expect, it } from 'vitest';
import { createCall } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { tellStart } from './start-progress.ts';

const params = { name: 't', _meta: { progressToken: 'p' } };

describe('progress while a server starts', () => {
  it('is told every two seconds, and always grows, also when the server then begins at zero', async () => {
    const clock = createFakeClock();
    const call = createCall();
    const news = tellStart(params, call, 'slow', clock);
    await clock.advance(6_500);
    news?.stop();
    for (const progress of [0, 0.5, 1])
      news?.call.client.notify('notifications/progress', { progressToken: 'p', progress });
    await clock.advance(60_000);
    expect(call.heard).toHaveLength(6);
    expect(call.heard[0]).toEqual({
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: expect.any(Number), message: 'starting slow' },
    });
    const numbers = call.heard.map(({ params: said }) => Number(said['progress']));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers.slice(4)).toEqual([0.5, 1]);
  });

  it('leaves what the server says as it is when nothing had to be told', () => {
    const call = createCall();
    const news = tellStart(params, call, 'quick', createFakeClock());
    news?.stop();
    news?.call.client.notify('notifications/progress', { progressToken: 'p', progress: 0 });
    expect(call.heard[0]?.params['progress']).toBe(0);
  });

  it('is not told to those who did not ask', () => {
    expect(tellStart({ name: 't' }, createCall(), 'slow', createFakeClock())).toBeUndefined();
  });
});
