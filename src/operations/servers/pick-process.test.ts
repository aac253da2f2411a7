import { describe, expect, it } from 'vitest';
import { toRunning } from '../test-house.contract.ts';
import { isResting, isWell, pickProcess } from './pick-process.ts';

const inState = (state: string) => toRunning('files', { state });

describe('a server that several processes have', () => {
  it.each([
    [['online', 'failed', 'idle'], 'failed'],
    [['idle', 'awaiting_config'], 'awaiting_config'],
    [['idle', 'online'], 'online'],
    [['idle', 'connecting'], 'connecting'],
    [['disabled', 'idle'], 'disabled'],
  ])('stands as the one that needs somebody, then as the one that runs: %j is %s', (states, shown) => {
    expect(pickProcess(states.map(inState))?.state).toBe(shown);
  });

  it('runs where it does so for single clients only', () => {
    const forSome = toRunning('files', { state: 'idle', scopes: 2 });
    expect(isResting(forSome)).toBe(false);
    expect(pickProcess([inState('idle'), forSome])).toBe(forSome);
  });

  it('is nowhere where no process has it', () => {
    expect(pickProcess([])).toBeUndefined();
  });

  it('is not taken for well in a state that only a newer version knows', () => {
    expect(isWell({ state: 'dreaming' })).toBe(false);
    expect(pickProcess([inState('online'), inState('dreaming')])?.state).toBe('dreaming');
  });
});
