/** Carries a modern server's questions to a legacy client: asks them one round at a time and takes the call up again. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CallContext } from '../model/call.ts';
import { inputRequestsOf, needsInput } from '../model/input-required.ts';
import type { JsonObject } from '../model/json.ts';
import { askClient } from './questions.ts';

/** More rounds than any honest server needs. */
const MAX_ROUNDS = 16;

/** Sends until there is an answer; a modern client is given the questions as they are. */
export async function sendInRounds(
  send: (params: JsonObject) => Promise<JsonObject>,
  params: JsonObject,
  call: CallContext,
): Promise<JsonObject> {
  let result = await send(params);
  if (call.facts.era === 'modern') return result;
  for (let round = 0; needsInput(result); round++) {
    if (round === MAX_ROUNDS) {
      throw new GatewayError(
        'UPSTREAM_PROTOCOL',
        `asked for input ${MAX_ROUNDS} times without coming to an end`,
      );
    }
    const state = result['requestState'];
    const inputResponses = await answerAll(result, call);
    result = await send({
      ...params,
      inputResponses,
      ...(state === undefined ? {} : { requestState: state }),
    });
  }
  return result;
}

async function answerAll(result: JsonObject, call: CallContext): Promise<JsonObject> {
  const answers = [...inputRequestsOf(result)].map(
    async ([key, { method, params }]) => [key, await askClient(call, method, params, call.signal)] as const,
  );
  return Object.fromEntries(await Promise.all(answers));
}
