import { describe, expect, it } from 'vitest';
import { SHARING_OPTIONS, toNetworkPlace } from './options.ts';

const place = (options: object) => toNetworkPlace(SHARING_OPTIONS.strict().parse(options));

describe('the options of sharing', () => {
  it('mean the public network on all addresses unless they say otherwise', () => {
    expect(place({})).toBeUndefined();
    expect(place({ name: 'Anna' })).toBeUndefined();
  });

  it('name a network of your own and an address of this machine, each for itself or both', () => {
    expect(place({ bootstrap: ['127.0.0.1:49737', 'dht.example.org:1'], host: '127.0.0.1' })).toEqual({
      bootstrap: [
        { host: '127.0.0.1', port: 49737 },
        { host: 'dht.example.org', port: 1 },
      ],
      host: '127.0.0.1',
    });
    expect(place({ host: '192.0.2.7' })).toEqual({ host: '192.0.2.7' });
    expect(place({ bootstrap: ['a:2'] })).toEqual({ bootstrap: [{ host: 'a', port: 2 }] });
  });

  it.each([
    ['no port', { bootstrap: ['127.0.0.1'] }],
    ['port 0', { bootstrap: ['127.0.0.1:0'] }],
    ['a port beyond the last', { bootstrap: ['127.0.0.1:65536'] }],
    ['a URL', { bootstrap: ['http://127.0.0.1:80'] }],
    ['no host', { bootstrap: [':80'] }],
    ['an empty list', { bootstrap: [] }],
    ['a text for a list', { bootstrap: '127.0.0.1:80' }],
    ['a name to bind to', { host: 'localhost' }],
  ])('are refused with %s', (_, options) => {
    const [issue] = SHARING_OPTIONS.safeParse(options).error?.issues ?? [];
    expect(issue?.path[0]).toBe(Object.keys(options)[0]);
  });
});
