/** Asks a server without credentials, to hear what it wants. */
import { randomUUID } from 'node:crypto';
import { createDialer } from '../http/dial.ts';
import { wantsCredentials } from './challenge.ts';

const PROBE_MS = 15_000;
/** A request that changes nothing where it is answered after all. */
const PING = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'ping' });

/** The challenge of a server; undefined when it answers without one. */
export async function findChallenge(url: URL): Promise<{ readonly header: string | undefined } | undefined> {
  const dialer = createDialer();
  try {
    const response = await dialer.send({
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: PING,
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const header = response.headers['www-authenticate'];
    response.destroy();
    return wantsCredentials(response.statusCode, header) ? { header } : undefined;
  } finally {
    dialer.close();
  }
}
