import { expect, it } from 'vitest';
import { createInputStates, type StatefulRequest } from './input-state.ts';

const request: StatefulRequest = {
  principal: { id: 'me' },
  endpoint: 'mode direct',
  method: 'tools/call',
  params: { name: 'order', arguments: { item: 'mug' } },
};
const states = createInputStates();
const state = states.toState({ kind: 'passed', state: 'theirs' }, request);

it('gives back what it stands for, to the same caller and request', () => {
  expect(states.fromState(state, request)).toEqual({ kind: 'passed', state: 'theirs' });
  const retried = { ...request, params: { ...request.params, requestState: state, inputResponses: {} } };
  expect(states.fromState(state, retried)).toEqual({ kind: 'passed', state: 'theirs' });
});

it.each([
  ['another principal', { principal: { id: 'you' } }],
  ['another endpoint', { endpoint: 'mode search' }],
  ['another method', { method: 'prompts/get' }],
  ['another tool', { params: { name: 'cancel', arguments: { item: 'mug' } } }],
  ['other arguments', { params: { name: 'order', arguments: { item: 'car' } } }],
])('is refused with %s', (_what, change) => {
  expect(() => states.fromState(state, { ...request, ...change })).toThrow('make the call again');
});

it('is refused when it was altered or comes from elsewhere', () => {
  const altered = `${state.slice(0, -3)}${state.at(-3) === 'a' ? 'b' : 'a'}${state.slice(-2)}`;
  expect(() => states.fromState(altered, request)).toThrow('make the call again');
  expect(() => createInputStates().fromState(state, request)).toThrow('make the call again');
  expect(() => states.fromState('', request)).toThrow('make the call again');
});
