/** Whether a profile exists: a tag that some configured server carries. */
import type { ConfigContent } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';

const SHOWN = 6;

/** Refuses a profile that no server carries, since it would show nothing for ever. */
export function checkProfile({ config }: ConfigContent, profile: string): void {
  const tags = [...new Set(config.upstreams.flatMap((upstream) => upstream.tags))].sort();
  if (tags.includes(profile)) return;
  const next =
    tags.length === 0
      ? 'there is none yet: thimble profile create makes one'
      : `there are ${tags.slice(0, SHOWN).join(', ')}${tags.length > SHOWN ? ` and ${tags.length - SHOWN} more` : ''}`;
  throw new GatewayError(
    'NAME_UNKNOWN',
    `no profile is called "${profile}"${didYouMean(profile, tags)}; ${next}`,
  );
}
