/** A network in memory, for tests that need no sockets: keys are proven by being handed over. */
import { Duplex } from 'node:stream';
import type { NetworkEvents, OpenNetwork } from './network/network.ts';

/** All nodes of one test. */
export interface TestNetwork {
  readonly open: OpenNetwork;
  /** Breaks every connection; who wants to reach somebody does so again. */
  cut(): void;
  /** Connects a key of one's own to somebody who is there; undefined when they refuse. */
  connect(from: string, to: string): Duplex | undefined;
  /** How often somebody went on the network. */
  readonly opened: number;
}

/** Creates an empty network. */
export function createTestNetwork(): TestNetwork {
  const nodes = new Map<string, NetworkEvents>();
  const wishes = new Set<string>();
  const streams = new Map<string, readonly [Duplex, Duplex]>();
  let opened = 0;

  function meet(one: string, other: string): void {
    const name = [one, other].sort().join();
    const [a, b] = [nodes.get(one), nodes.get(other)];
    if (!a || !b || streams.has(name) || a.isRefused(other) || b.isRefused(one)) return;
    const pair = createStreamPair();
    streams.set(name, pair);
    for (const stream of pair)
      stream.on('close', () => {
        if (streams.get(name) !== pair) return;
        streams.delete(name);
        // Whoever wants to reach somebody goes on trying, as on a real network.
        if (wishes.has(`${one}>${other}`) || wishes.has(`${other}>${one}`))
          setImmediate(() => meet(one, other));
      });
    a.connected(other, pair[0]);
    b.connected(one, pair[1]);
  }

  return {
    get opened() {
      return opened;
    },
    cut() {
      for (const [stream] of [...streams.values()]) stream.destroy();
    },
    connect(from, to) {
      const target = nodes.get(to);
      if (!target || target.isRefused(from)) return undefined;
      const [ours, theirs] = createStreamPair();
      ours.on('error', () => {});
      target.connected(from, theirs);
      return ours;
    },
    async open({ publicKey }, events) {
      const own = publicKey.toString('hex');
      opened++;
      nodes.set(own, events);
      for (const wish of wishes) {
        const [from = '', to = ''] = wish.split('>');
        if (to === own) meet(from, to);
      }
      return {
        dial(key) {
          wishes.add(`${own}>${key}`);
          meet(own, key);
        },
        forget: (key) => void wishes.delete(`${own}>${key}`),
        async [Symbol.asyncDispose]() {
          nodes.delete(own);
          for (const wish of [...wishes]) if (wish.startsWith(own)) wishes.delete(wish);
          for (const [name, [stream]] of [...streams]) if (name.includes(own)) stream.destroy();
        },
      };
    },
  };
}

/** Two ends of a stream with back-pressure; when one is destroyed, so is the other. */
export function createStreamPair(): readonly [Duplex, Duplex] {
  const ends: Duplex[] = [];
  const resumes: (() => void)[] = [() => {}, () => {}];
  for (const at of [0, 1]) {
    const end = new Duplex({
      read() {
        resumes[1 - at]?.();
      },
      write(chunk, _, done) {
        if (ends[1 - at]?.push(chunk) !== false) return done();
        resumes[at] = () => {
          resumes[at] = () => {};
          done();
        };
      },
      final(done) {
        ends[1 - at]?.push(null);
        done();
      },
      destroy(error, done) {
        const other = ends[1 - at];
        // Later, as on a real network; and what was pushed before is read first.
        setImmediate(() => other?.destroy());
        done(error);
      },
    });
    end.on('error', () => {});
    ends.push(end);
  }
  return [ends[0] as Duplex, ends[1] as Duplex];
}
