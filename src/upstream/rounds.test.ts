import { expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import type { JsonObject } from '../model/json.ts';
import { sendInRounds } from './rounds.ts';

const asks = (round: number): JsonObject => ({
  resultType: 'input_required',
  inputRequests: { q: { method: 'elicitation/create', params: { message: `round ${round}` } } },
  requestState: `state ${round}`,
});

function createClient(asked: unknown[]) {
  const facts = { ...createContext().facts, capabilities: { elicitation: {} } };
  const ask = async (_method: string, params: JsonObject) => {
    asked.push(params['message']);
    return { action: 'accept' };
  };
  return createContext({ facts, client: { notify() {}, ask } });
}

it('asks a legacy client round by round and sends the state back as it came', async () => {
  const sent: JsonObject[] = [];
  const asked: unknown[] = [];
  const send = async (params: JsonObject) => {
    sent.push(params);
    return sent.length < 3 ? asks(sent.length) : { done: true };
  };
  expect(await sendInRounds(send, { name: 't' }, createClient(asked))).toEqual({ done: true });
  expect(asked).toEqual(['round 1', 'round 2']);
  expect(sent.at(-1)).toEqual({
    name: 't',
    inputResponses: { q: { action: 'accept' } },
    requestState: 'state 2',
  });
});

it('hands the questions to a modern client as they are', async () => {
  const modern = createContext({ facts: { ...createContext().facts, era: 'modern' } });
  expect(await sendInRounds(async () => asks(1), {}, modern)).toEqual(asks(1));
});

it('ends with a server that never stops asking', async () => {
  await expect(sendInRounds(async () => asks(1), {}, createClient([]))).rejects.toMatchObject({
    code: 'UPSTREAM_PROTOCOL',
  });
});
