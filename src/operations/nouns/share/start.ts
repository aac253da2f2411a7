/** `share start`: gives a server or a profile an address with a token of its own, for a while. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { openShares, type Share, toTaken } from '../../../session/shares.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { NAME, NAME_RULE } from '../../profiles/names.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import { findUrl, isLocal, ONLY_HERE, START_SERVING, toAddress } from '../../shares/address.ts';
import { toMoment } from '../../shown/moment.ts';
import { toShown } from '../../shown/quote.ts';
import { count } from '../../shown/words.ts';
import { findTarget, type Target } from './target.ts';

const INPUT = z.object({
  name: z.string().min(1).max(200).describe('server, profile or share'),
  kind: z.enum(['server', 'profile']).optional().describe('where both have the name'),
  as: z.string().min(1).max(200).optional().describe('another name for the share'),
  hours: z.number().min(0.1).max(720).default(24).describe('until it ends'),
});

const OUTPUT = z.object({
  name: z.string(),
  kind: z.enum(['server', 'profile']),
  target: z.string(),
  /** Below the URL of a gateway. */
  address: z.string(),
  url: z.string().optional(),
  /** Nobody can read it again. */
  token: z.string(),
  expiresAt: z.string(),
});

const HOUR_MS = 3_600_000;
const SHOWN_SERVERS = 20;

/** Starts a share. */
export const start = defineOperation({
  noun: 'share',
  verb: 'start',
  summary: 'give a server or profile an address with a token',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  words: ['name'],
  formerly: ['share_server'],
  examples: [{ name: 'memory' }, { name: 'memory', as: 'notes', hours: 2 }],
  async plan(input, house) {
    const { share, target } = await prepare(input, house);
    const url = await findUrl(house);
    const address = toAddress(share.name);
    return {
      summary: `share the ${share.kind} ${share.target}`,
      details: [
        url === undefined ? `open ${address} once thimble serve runs` : `open ${url}${address}`,
        'to whoever has its token, which is made now and shown once',
        ...(await describeTarget(target, house)),
        // From when it begins: a person may agree to it later, and to the same plan.
        `for ${count(input.hours, 'hour')}, or until thimble share stop ${share.name}`,
      ],
    };
  },
  async run(input, house) {
    const { share } = await prepare(input, house);
    const token = await openShares(await house.store(), () => house.now().getTime()).start(share);
    const url = await findUrl(house);
    const { name, kind, target } = share;
    const address = toAddress(name);
    return {
      name,
      kind,
      target,
      address,
      ...(url !== undefined && { url: `${url}${address}` }),
      token,
      expiresAt: toIso(share.expiresAt),
    };
  },
  toText({ name, kind, target, address, url, token, expiresAt }) {
    return [
      `The ${kind} ${target} is shared until ${toMoment(expiresAt)}.`,
      url === undefined ? `Address: ${address} (${START_SERVING})` : `Address: ${url}`,
      `Header:  Authorization: Bearer ${token}`,
      ...(url !== undefined && isLocal(url) ? [ONLY_HERE] : []),
      `The token is shown this once. To end it: thimble share stop ${name}`,
    ].join('\n');
  },
});

async function prepare(
  { name, kind, as, hours }: z.output<typeof INPUT>,
  house: House,
): Promise<{ share: Omit<Share, 'startedAt' | 'usedAt'>; target: Target }> {
  const target = findTarget(await house.config.read(), name, kind);
  const shareName = as ?? target.target;
  if (!NAME.test(shareName))
    throw new GatewayError(
      'INVALID_PARAMS',
      `${toShown(shareName)} cannot be part of an address; give the share another name with --as: ${NAME_RULE}`,
    );
  const now = house.now().getTime();
  const shares = await openShares(await house.store(), () => now).list();
  if (shares.some((share) => share.name === shareName)) throw toTaken(shareName);
  const expiresAt = now + Math.round(hours * HOUR_MS);
  return { share: { name: shareName, kind: target.kind, target: target.target, expiresAt }, target };
}

/** What becomes reachable, server by server, with as many tools as are known of each. */
async function describeTarget({ servers }: Target, house: House): Promise<string[]> {
  const upstreams = servers.flatMap(({ upstream }) => upstream ?? []);
  const manifests = await readManifests({ upstreams }, house);
  const lines = servers.map(({ id, enabled, upstream }) => {
    if (!enabled) return `every tool of ${id} (once it is switched on)`;
    const manifest = manifests.get(id);
    if (!manifest) return `every tool of ${id}`;
    const off = new Set(upstream?.disabledTools);
    const on = manifest.lists.tool.filter(({ name }) => !off.has(String(name)));
    return `every tool of ${id} (${on.length})`;
  });
  const more = lines.length - SHOWN_SERVERS;
  return more > 0 ? [...lines.slice(0, SHOWN_SERVERS), `and the tools of ${more} more servers`] : lines;
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
