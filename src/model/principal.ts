/** Who is asking. */

/** The person or program on whose behalf a request runs. */
export interface Principal {
  readonly id: string;
}

/** Whoever sits at this machine: the only principal until the gateway has users. */
export const LOCAL_PRINCIPAL: Principal = { id: 'local' };
