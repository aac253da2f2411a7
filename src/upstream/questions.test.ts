import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import type { CallContext } from '../model/call.ts';
import { askClient, canAnswer, findCall, OWN_CONVERSATION, UNASKED } from './questions.ts';

const inConversation = (conversation: string) => createContext({ conversation });
const open = (...calls: CallContext[]) => new Map(calls.map((call, at) => [at, call] as const));

describe('whose question it is', () => {
  it('is the call on whose stream it came, whatever else runs', () => {
    const calls = open(inConversation('a'), inConversation('b'));
    expect(findCall(0, calls)?.call.conversation).toBe('a');
    expect(findCall(7, calls)).toBeUndefined();
  });

  it('is the only client with calls running; the gateway\u2019s own do not count', () => {
    const calls = open(inConversation('a'), inConversation(OWN_CONVERSATION), inConversation('a'));
    expect(findCall(undefined, calls)).toMatchObject({ id: 2, call: { conversation: 'a' } });
  });

  it('is nobody\u2019s when two clients have calls running', () => {
    expect(findCall(undefined, open(inConversation('a'), inConversation('b')))).toBeUndefined();
  });
});

describe('who can answer', () => {
  it.each([
    ['elicitation/create', {}, { elicitation: {} }, true],
    ['elicitation/create', {}, {}, false],
    ['elicitation/create', { mode: 'url' }, { elicitation: {} }, false],
    ['elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }, true],
    ['sampling/createMessage', {}, { sampling: {} }, true],
    ['sampling/createMessage', { tools: [] }, { sampling: {} }, false],
    ['sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }, true],
    ['roots/list', {}, {}, false],
    ['roots/list', {}, { roots: {} }, true],
    ['custom/question', {}, {}, true],
  ])('%s %j with %j: %s', (method, params, capabilities, expected) => {
    expect(canAnswer(method, params, capabilities)).toBe(expected);
  });

  it('declines for a client that cannot, instead of waiting', async () => {
    const mute = createContext();
    expect(await askClient(mute, 'elicitation/create', {})).toEqual({
      action: 'decline',
      _meta: { [UNASKED]: true },
    });
    await expect(askClient(mute, 'sampling/createMessage', {})).rejects.toMatchObject({ code: -1 });
    await expect(askClient(undefined, 'roots/list', {})).rejects.toMatchObject({ code: -32601 });
  });
});
