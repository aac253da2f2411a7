import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { ClientPort } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { createParking, type Step } from './parking.ts';
import type { ClientCall } from './session.ts';

const TEN_MINUTES = 10 * 60_000;

function setUp() {
  const clock = createFakeClock();
  const parking = createParking(clock);
  const told: string[] = [];
  const toCall = (signal = new AbortController().signal): ClientCall => ({
    id: 1,
    signal,
    client: { notify: (method) => told.push(method) },
  });
  return { clock, parking, toCall, told };
}

const ticketOf = (step: Step) => {
  if (step.kind !== 'questions') throw new Error('expected questions');
  return step.ticket;
};

async function askTwice({ ask }: ClientPort): Promise<JsonObject> {
  const first = await ask?.('elicitation/create', { message: 'one' });
  const second = await ask?.('elicitation/create', { message: 'two' });
  return { first, second };
}

describe('a call that needs its client', () => {
  it('is answered at once when it asks nothing', async () => {
    const { parking, toCall } = setUp();
    expect(await parking.start('me', toCall(), async () => ({ done: true }))).toEqual({
      kind: 'answer',
      result: { done: true },
    });
    expect(parking.size).toBe(0);
  });

  it('waits for its answers, round by round', async () => {
    const { parking, toCall } = setUp();
    const first = await parking.start('me', toCall(), askTwice);
    expect(first).toMatchObject({
      inputRequests: { q1: { method: 'elicitation/create', params: { message: 'one' } } },
    });
    const second = await parking.resume('me', ticketOf(first), { q1: { action: 'accept' } }, toCall());
    expect(second).toMatchObject({ inputRequests: { q2: { params: { message: 'two' } } } });
    const last = await parking.resume('me', ticketOf(second), { q2: { action: 'decline' } }, toCall());
    expect(last).toEqual({
      kind: 'answer',
      result: { first: { action: 'accept' }, second: { action: 'decline' } },
    });
    expect(parking.size).toBe(0);
  });

  it('sends questions asked in one breath together, and asks again for one left open', async () => {
    const { parking, toCall } = setUp();
    const both = async ({ ask }: ClientPort) => {
      const answers = await Promise.all([ask?.('a', {}), ask?.('b', {})]);
      return { answers: answers as JsonObject[] };
    };
    const first = await parking.start('me', toCall(), both);
    expect(Object.keys(first.kind === 'questions' ? first.inputRequests : {})).toEqual(['q1', 'q2']);
    const second = await parking.resume('me', ticketOf(first), { q1: { n: 1 } }, toCall());
    expect(Object.keys(second.kind === 'questions' ? second.inputRequests : {})).toEqual(['q2']);
    const last = await parking.resume('me', ticketOf(second), { q2: { n: 2 } }, toCall());
    expect(last).toMatchObject({ result: { answers: [{ n: 1 }, { n: 2 }] } });
  });

  it('is nobody else\u2019s, cannot be taken up twice, and says no more than that', async () => {
    const { parking, toCall } = setUp();
    const first = await parking.start('me', toCall(), askTwice);
    const ticket = ticketOf(first);
    expect(() => parking.resume('you', ticket, {}, toCall())).toThrow('has ended');
    await parking.resume('me', ticket, { q1: {} }, toCall());
    expect(() => parking.resume('me', ticket, { q1: {} }, toCall())).toThrow('has ended');
  });

  it('is given up when its client does not come back in time', async () => {
    const { parking, clock, toCall } = setUp();
    let aborted: unknown;
    await parking.start('me', toCall(), (client, signal) => {
      signal.addEventListener('abort', () => {
        aborted = signal.reason;
      });
      return askTwice(client);
    });
    await clock.advance(TEN_MINUTES - 1);
    expect(aborted).toBeUndefined();
    await clock.advance(1);
    expect(aborted).toMatchObject({ code: 'CALL_CANCELLED' });
    expect(parking.size).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('is given up when its client goes away while it runs', async () => {
    const { parking, toCall } = setUp();
    const gone = new AbortController();
    const running = parking.start(
      'me',
      toCall(gone.signal),
      (_client, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    gone.abort();
    await expect(running).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  });

  it('tells its news to whichever request is there to hear it', async () => {
    const { parking, toCall, told } = setUp();
    const chatty = async (client: ClientPort) => {
      client.notify('before', {});
      await client.ask?.('a', {});
      client.notify('after', {});
      return {};
    };
    const first = await parking.start('me', toCall(), chatty);
    await parking.resume('me', ticketOf(first), { q1: {} }, toCall());
    expect(told).toEqual(['before', 'after']);
  });
});
