/** What a change of the configuration opens to others: servers that come into a profile which is shared now. */
import type { ConfigEdit } from '../../config/config-file.ts';
import { openShares, type Share } from '../../session/shares.ts';
import type { UpstreamConfig } from '../../upstream/upstream.ts';
import type { House } from '../house.ts';
import type { Plan } from '../operation.ts';
import { toMoment } from '../shown/moment.ts';
import { few } from '../shown/words.ts';

/** What of a house is looked at. */
type Looked = Pick<House, 'config' | 'store' | 'now'>;

/** The shares of one profile that are in force now. */
export async function findShared(profile: string, house: Looked): Promise<readonly Share[]> {
  const shares = await openShares(await house.store(), () => house.now().getTime()).list();
  return shares.filter(({ kind, target }) => kind === 'profile' && target === profile);
}

/** One line for each share that would reach more servers after these edits; none when nobody is given more. */
export async function describeWidening(
  edits: readonly ConfigEdit[],
  house: Looked,
): Promise<readonly string[]> {
  if (!edits.some(({ path: [section] }) => section === 'mcpServers' || section === 'builtin')) return [];
  const shares = await openShares(await house.store(), () => house.now().getTime()).list();
  if (!shares.some(({ kind }) => kind === 'profile')) return [];
  const { before, after } = await house.config.preview(edits);
  return shares.flatMap((share) => {
    if (share.kind !== 'profile') return [];
    const had = toMembers(before.config.upstreams, share.target);
    const more = toMembers(after.config.upstreams, share.target).filter(
      ({ name, enabled }) => !had.some((server) => server.name === name && (server.enabled || !enabled)),
    );
    return more.length > 0 ? [toLine(share, more)] : [];
  });
}

/** What a person has to agree to before these edits; undefined when they give nobody more. */
export async function planWidening(
  summary: string,
  edits: readonly ConfigEdit[],
  house: Looked,
): Promise<Plan | undefined> {
  const details = await describeWidening(edits, house);
  return details.length > 0 ? { summary, details } : undefined;
}

/** What became of the shares of a profile that is there no more, for whoever took it away. */
export function sayCutOff(profile: string, shares: readonly string[]): readonly string[] {
  return shares.map(
    (share) =>
      `${profile} is still shared as ${share}, which reaches nothing now; end it with thimble share stop ${share}.`,
  );
}

/** Those that are switched off count too: whoever switches one on later may not know who waits for it. */
function toMembers(upstreams: readonly UpstreamConfig[], profile: string): readonly UpstreamConfig[] {
  return upstreams.filter(({ tags }) => tags.includes(profile));
}

function toLine({ name, target, expiresAt }: Share, servers: readonly UpstreamConfig[]): string {
  const names = servers.map((server) => `${server.name}${server.enabled ? '' : ' (once it is switched on)'}`);
  const until = toMoment(new Date(expiresAt).toISOString());
  return `every tool of ${few(names.sort())} becomes reachable to whoever has the token of the share ${name}, which shows the profile ${target} until ${until}`;
}
