/** `share stop`: ends a share, and with it whatever goes on by it. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { openShares } from '../../../session/shares.ts';
import { defineOperation } from '../../operation.ts';
import { toShown } from '../../shown/quote.ts';
import { few } from '../../shown/words.ts';

/** How many names a refusal tells. */
const SHOWN = 8;

/** Stops a share. */
export const stop = defineOperation({
  noun: 'share',
  verb: 'stop',
  summary: 'end a share and cut off who uses it',
  input: z.object({ name: z.string().min(1).max(200).describe('server, profile or share') }),
  output: z.object({ name: z.string() }),
  effects: 'writes',
  destructive: true,
  words: ['name'],
  formerly: ['stop_sharing_server'],
  examples: [{ name: 'memory' }],
  async run({ name }, house) {
    const shares = openShares(await house.store(), () => house.now().getTime());
    if (await shares.stop(name)) return { name };
    const names = (await shares.list()).map((share) => share.name);
    const there = names.length > 0 ? `shared are ${few(names, SHOWN)}` : 'nothing is shared';
    throw new GatewayError(
      'NAME_UNKNOWN',
      `no share is called ${toShown(name)}${didYouMean(name, names)}; ${there}`,
    );
  },
  toText: ({ name }) => `${name} is shared no more; whoever uses it is cut off within a second.`,
});
