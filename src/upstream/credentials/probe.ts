/** Asks a server without credentials, to hear what it wants. */
import { randomUUID } from 'node:crypto';
import { createDialer } from '../http/dial.ts';
import { wantsCredentials } from './challenge.ts';

const PROBE_MS = 15_000;
/** A request that changes nothing where it is answered after all. */
const PING = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'ping' });

/** What a server said it wants. */
interface Asked {
  readonly header: string | undefined;
}

const STREAM = 'text/event-stream';
/** Old servers take no message where their stream is. */
const PROBES = [
  {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: `application/json, ${STREAM}` },
    body: PING,
  },
  { method: 'GET', headers: { Accept: STREAM } },
] as const;

/** The challenge of a server; undefined when it answers without one. */
export async function findChallenge(url: URL): Promise<Asked | undefined> {
  const dialer = createDialer();
  const signal = AbortSignal.timeout(PROBE_MS);
  try {
    for (const probe of PROBES) {
      const response = await dialer.send({ ...probe, url, signal });
      const { statusCode: status = 0, headers } = response;
      const header = headers['www-authenticate'];
      response.destroy();
      if (wantsCredentials(status, header)) return { header };
      if (status < 400) return undefined;
    }
    return undefined;
  } finally {
    dialer.close();
  }
}
