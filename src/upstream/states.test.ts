import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findState, type Move, STATES, type StateName, sayState, toNextState } from './states.ts';
import type { UpstreamState } from './upstream.ts';

const NAMES = Object.keys(STATES) as StateName[];
const MOVES = [...new Set(NAMES.flatMap((name) => Object.keys(STATES[name].moves)))] as Move[];
const DORMANT: readonly StateName[] = ['awaiting_config', 'disabled'];
const ALIVE = NAMES.filter((name) => !DORMANT.includes(name));

function reachable(from: StateName): Set<StateName> {
  const seen = new Set<StateName>([from]);
  for (const name of seen) for (const next of Object.values(STATES[name].moves)) seen.add(next);
  return seen;
}

describe('the table of states', () => {
  it('lets every state that is not a matter of configuration be reached, and online from each of them', () => {
    expect([...reachable('idle')].sort()).toEqual([...ALIVE].sort());
    for (const name of ALIVE) expect(reachable(name), name).toContain('online');
  });

  it('has no way out of what only the configuration can change', () => {
    for (const name of DORMANT) expect(STATES[name].moves).toEqual({});
  });

  it('never ends, whatever happens in whatever order, where only a person could help but a login', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...MOVES), { maxLength: 60 }), (moves) => {
        let at: StateName = 'idle';
        for (const move of moves) at = toNextState(at, move) ?? at;
        expect(DORMANT).not.toContain(at);
        const { start } = STATES[at].moves;
        const isUnderWay = ['connecting', 'discovering', 'online'].includes(at);
        expect(start !== undefined || isUnderWay).toBe(true);
      }),
    );
  });

  it('says of every state where a call cannot succeed why, and what to do', () => {
    const states: readonly UpstreamState[] = [
      { is: 'awaiting_config', missing: 'TOKEN' },
      { is: 'disabled' },
      { is: 'offline', reason: 'no answer', retryAt: 12_000 },
      { is: 'error', reason: 'not JSON', retryAt: undefined },
      { is: 'needs_auth', reason: 'answered 401' },
      { is: 'failed', reason: 'exited with code 1', retryAt: 60_000 },
    ];
    expect(states.map((state) => sayState(state, 0))).toEqual([
      'is not fully configured; set TOKEN',
      'is switched off; enable it in the configuration',
      'is offline (no answer); it is tried again by itself in 12 s',
      'cannot be understood (not JSON); change its configuration',
      'needs a login (answered 401); log in to it',
      'ends again and again (exited with code 1); fix the cause (thimble logs <server>), then: thimble restart <server>; it is tried again by itself in 60 s',
    ]);
    expect(states.map(({ is }) => is).sort()).toEqual(NAMES.filter((name) => !STATES[name].callable).sort());
  });

  it('counts no seconds where none is left', () => {
    for (const now of [60_000, 59_600, 61_000])
      expect(sayState({ is: 'offline', reason: 'no answer', retryAt: 60_000 }, now)).toBe(
        'is offline (no answer); it is being tried again now',
      );
  });

  it('asks a person to look at whatever cannot be called, but for what they switched off', () => {
    for (const name of NAMES)
      expect(STATES[name].well, name).toBe(STATES[name].callable || name === 'disabled');
  });

  it('lets nothing rest that runs, is on its way or should run', () => {
    expect(NAMES.filter((name) => STATES[name].resting).sort()).toEqual([...DORMANT, 'idle'].sort());
  });

  it('is asked by names from elsewhere too, and knows no others', () => {
    expect(findState('online')).toBe(STATES.online);
    expect([findState('not running'), findState('toString')]).toEqual([undefined, undefined]);
  });

  it('says for how long a server has been starting', () => {
    expect(sayState({ is: 'connecting', since: 1_000 }, 13_000)).toBe(
      'is starting, for 12 s; a call waits for it',
    );
  });

  it('is drawn in the README as it is', () => {
    const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    for (const name of NAMES) {
      const moves = Object.entries(STATES[name].moves).map(([move, next]) => `${move} → ${next}`);
      const { discoverable, callable, well, resting } = STATES[name];
      const flags = [discoverable, callable, well, resting].map((flag) => (flag ? 'yes' : 'no'));
      const cells = [...flags, moves.join(', ') || '–'];
      expect(text, name).toContain(`| \`${name}\` | ${cells.join(' | ')} |`);
    }
  });
});
