/** Puts a plan to the person behind an MCP client; when nobody can be asked there, it waits for them elsewhere. */
import type { ToolCall } from '../builtin/builtin.ts';
import { isJsonObject } from '../model/json.ts';
import { toPlanLines } from '../operations/operation.ts';
import type { Consent } from '../operations/perform.ts';
import { OWNER_ONLY, UNASKED } from '../upstream/questions.ts';

const MAX_MESSAGE = 8_000;

/** Asks by elicitation, in whichever era the client speaks. */
export function createElicitation(call: ToolCall): Consent {
  return async (plan) => {
    const message = [`Thimble is asked to ${plan.summary}:`, ...toPlanLines(plan)].join('\n');
    // Nobody can agree to what they are not shown: a terminal shows it whole.
    if (message.length > MAX_MESSAGE) return 'later';
    const answer = await call
      .ask('elicitation/create', {
        _meta: { [OWNER_ONLY]: true },
        message,
        requestedSchema: {
          type: 'object',
          properties: { agree: { type: 'boolean', title: 'Do this', default: false } },
          required: ['agree'],
        },
      })
      .catch(() => undefined);
    call.signal.throwIfAborted();
    const { action, content, _meta: meta } = answer ?? {};
    if (action === 'accept') return isJsonObject(content) && content['agree'] === true ? 'yes' : 'no';
    const wasAsked = action === 'decline' && !(isJsonObject(meta) && meta[UNASKED] === true);
    return wasAsked ? 'no' : 'later';
  };
}
