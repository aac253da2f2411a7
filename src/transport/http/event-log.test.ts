import { describe, expect, it } from 'vitest';
import { LOG_EVENT_LIMIT, LOG_SIZE_LIMIT } from '../limits.ts';
import { createEventLog, parseEventId, toEventId } from './event-log.ts';

const note = (text = '') => ({ jsonrpc: '2.0', method: 'notifications/x', params: { text } }) as const;

describe('an event log', () => {
  it('replays only what its stream sent after the event', () => {
    const log = createEventLog();
    const first = log.append(1, note('a'));
    log.append(2, note('b'));
    const third = log.append(1, note('c'));
    expect(log.after({ stream: 1, after: first.number })).toEqual([third]);
  });

  it('forgets the oldest events first, by number and by size, but never the newest', () => {
    const log = createEventLog();
    for (let n = 0; n < LOG_EVENT_LIMIT + 10; n++) log.append(1, note());
    expect(log.after({ stream: 1, after: 0 })).toHaveLength(LOG_EVENT_LIMIT);
    const large = log.append(1, note('x'.repeat(LOG_SIZE_LIMIT + 1)));
    expect(log.after({ stream: 1, after: 0 })).toEqual([large]);
  });

  it('forgets one stream and leaves the others', () => {
    const log = createEventLog();
    log.append(1, note('x'.repeat(LOG_SIZE_LIMIT)));
    log.forget(1);
    const kept = log.append(2, note('b'));
    const next = log.append(2, note('c'));
    expect(log.after({ stream: 1, after: 0 })).toEqual([]);
    expect(log.after({ stream: 2, after: 0 })).toEqual([kept, next]);
  });

  it('reads its own ids and nothing else', () => {
    expect(parseEventId(toEventId({ stream: 3, after: 1 }))).toEqual({ stream: 3, after: 1 });
    for (const text of ['', '1', '1-', '-1', '1-2-3', 'a-b', '1-2\n', '99999999999999-1'])
      expect(parseEventId(text)).toBeUndefined();
  });
});
