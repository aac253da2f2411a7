/** Sends requests with credentials, and once more when those had to be renewed. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import { wantsCredentials } from '../credentials/challenge.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { createDialer, type Dialer, toPublicUrl } from './dial.ts';

/** Creates a dialer whose requests carry the credentials, where there are any to carry. */
export function createAuthorisedDialer(credentials: Credentials | undefined): Dialer {
  const dialer = createDialer();
  if (!credentials) return dialer;
  return { close: dialer.close, send: (request) => sendWith(credentials, dialer, request) };
}

/** True when a login that worked has ended: the next attempt to connect shows in the state what is wanted. */
export function hasLoginEnded(error: Error): boolean {
  return error instanceof GatewayError && error.code === 'UPSTREAM_AUTH' && error.data['ended'] === true;
}

async function sendWith(
  credentials: Credentials,
  dialer: Dialer,
  request: Parameters<Dialer['send']>[0],
): Promise<IncomingMessage> {
  const renewed = new Set<number>();
  for (;;) {
    const carried = await credentials.headersFor();
    const response = await dialer.send({ ...request, headers: { ...request.headers, ...carried } });
    const { statusCode: status = 0, headers } = response;
    const header = headers['www-authenticate'];
    if (!wantsCredentials(status, header)) return response;
    // A refused request was not looked at, so that even a call may be sent again.
    response.resume();
    const sent = carried['Authorization'];
    if (renewed.has(status) || !(await credentials.onUnauthorized({ status, header, sent }))) {
      credentials.giveUp(sent);
      throw toStillRefused(request.url, status);
    }
    renewed.add(status);
  }
}

function toStillRefused(url: URL, status: number): GatewayError {
  const message = `${toPublicUrl(url)} answered ${status} to a fresh login; has this account the right to use it?`;
  return new GatewayError('UPSTREAM_AUTH', message, { data: { status } });
}
