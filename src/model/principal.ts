/** Who is asking. */

/** The person or program on whose behalf a request runs. */
export interface Principal {
  readonly id: string;
}

/** Whoever sits at this machine: the only principal until the gateway has users. */
export const LOCAL_PRINCIPAL: Principal = { id: 'local' };

const SHARE = 'share:';

/** Whoever holds the token of a share. */
export function toSharePrincipal(name: string): Principal {
  return { id: `${SHARE}${name}` };
}

/** True for somebody who was given a part of this, and is not its owner. */
export function isShare({ id }: Principal): boolean {
  return id.startsWith(SHARE);
}
