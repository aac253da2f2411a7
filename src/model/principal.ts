/** Who is asking. */

/** The person or program on whose behalf a request runs. */
export interface Principal {
  readonly id: string;
  /** True when it is known to be the person whose machine this is: they started the process, or hold the local token. */
  readonly owner?: true;
}

/** Whoever sits at this machine: the only principal until the gateway has users. */
export const LOCAL_PRINCIPAL: Principal = { id: 'local' };

/** The same, known to be the owner. */
export const OWNER: Principal = { ...LOCAL_PRINCIPAL, owner: true };

const SHARE = 'share:';

/** Whoever holds the token of a share. */
export function toSharePrincipal(name: string): Principal {
  return { id: `${SHARE}${name}` };
}

/** True for somebody who was given a part of this, and is not its owner. */
export function isShare({ id }: Principal): boolean {
  return id.startsWith(SHARE);
}
