/** The names new servers may have. */
import { BUILTINS } from '../../../builtin/registry.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { isUpstreamId, RESERVED_IDS } from '../../../model/ids.ts';
import { toShown } from '../../shown/quote.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Checks a name somebody chose; throws INVALID_PARAMS or NAME_TAKEN. */
export function checkNewName(name: string): string {
  if (!NAME.test(name) || name.toLowerCase() === 'constructor')
    throw new GatewayError(
      'INVALID_PARAMS',
      `${toShown(name)} cannot be the name of a server; use up to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit`,
    );
  const id = name.toLowerCase();
  if (RESERVED_IDS.has(id) || BUILTINS.some((builtin) => builtin.name === id))
    throw new GatewayError(
      'NAME_TAKEN',
      `${toShown(name)} is a name of Thimble's own; give another with --alias`,
    );
  return name;
}

/** A name made from what a server is called elsewhere, without what says no more than that it is a server. */
export function toNewName(given: string): string {
  const last = given.split('/').at(-1) ?? given;
  const shaped = last.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  const bare = shaped
    .replace(/^(mcp[-_])?(server[-_])?/i, '')
    .replace(/([-_]mcp)?([-_]server)?([-_]mcp)?$/i, '');
  const isFree = isUpstreamId(bare) && !RESERVED_IDS.has(bare) && !BUILTINS.some(({ name }) => name === bare);
  return isFree ? bare : shaped.slice(0, 64) || 'server';
}
