import { describe, expect, it } from 'vitest';
import type { GatewayEvent } from './events.ts';
import { createFeed } from './feed.ts';

const NEWS: GatewayEvent = { type: 'catalog.changed', tools: 1 };

describe('a feed', () => {
  it('tells everybody else of a listener that throws, and the publisher nothing', () => {
    const feed = createFeed();
    const heard: GatewayEvent[] = [];
    const error = new Error('no');
    feed.on((event) => {
      if (event.type !== 'fault') throw error;
    });
    feed.on((event) => heard.push(event));
    feed.publish(NEWS);
    expect(heard).toEqual([{ type: 'fault', where: 'event listener', error }, NEWS]);
  });

  it('disturbs nobody, however many of its listeners throw at whatever they hear', () => {
    const feed = createFeed();
    const heard: string[] = [];
    for (const name of ['first', 'second'])
      feed.on(() => {
        throw new Error(name);
      });
    feed.on(({ type }) => heard.push(type));
    expect(() => feed.publish(NEWS)).not.toThrow();
    expect(heard).toEqual(['fault', 'fault', 'catalog.changed']);
  });
});
