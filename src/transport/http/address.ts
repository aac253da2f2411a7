/** Reads the target of a request: which face it wants and which MCP endpoint that face stands for. */
import { OWNER, type Principal } from '../../model/principal.ts';

/** A target that belongs to MCP. */
export interface Address {
  readonly face: 'mcp' | 'sse' | 'messages';
  /** The endpoint, in the form sessions read: `/mcp`, `/mcp/direct`, `/s/github/mcp`. */
  readonly path: string;
  readonly profile: string | undefined;
  /** Endpoint and profile as one text, to compare. */
  readonly place: string;
  /** Where the SSE pair takes messages for this endpoint. */
  readonly messagesPath: string;
  /** The session of an SSE pair. */
  readonly pairId: string | undefined;
  /** The share that is asked for; its address leads nowhere without its token. */
  readonly share: string | undefined;
  /** Who came in by a share. */
  readonly guest?: Guest;
  /** True when the request carries the local token. */
  readonly owner?: boolean;
}

/** On whose behalf a request at an address runs. */
export function principalOf({ guest, owner }: Address, anybody: Principal): Principal {
  return guest?.principal ?? (owner ? OWNER : anybody);
}

/** Somebody who has the token of a share. */
export interface Guest {
  /** The id of the share. */
  readonly share: string;
  readonly principal: Principal;
}

/** The addresses a person may want, for the answer to one that does not exist. */
export const KNOWN_ADDRESSES =
  '/mcp, /mcp/<mode>, /router/mcp, /s/<upstream>/mcp, /i/<share>/mcp, /sse, /blog and /health';

// `/mcp`, `/mcp/<mode>`, `/s/<upstream>/mcp`, and whatever else ends in `/mcp`: the sessions know which exist.
const ENDPOINT = /^\/mcp(?:\/[^/]+)?$|^(?:\/[^/]+){1,2}\/mcp$/;
const SHARE = /^\/i\/([^/]+)\/mcp$/;
const PAIR = /^(.*)\/(sse|messages)$/;

/** Reads a request target; undefined when it has nothing to do with MCP. */
export function parseAddress(target: string): Address | undefined {
  const mark = target.indexOf('?');
  const query = mark === -1 ? undefined : new URLSearchParams(target.slice(mark + 1));
  const path = withoutSlash(mark === -1 ? target : target.slice(0, mark));
  const pair = PAIR.exec(path);
  const endpoint = pair ? toEndpoint(pair[1] ?? '') : path;
  if (!ENDPOINT.test(endpoint)) return undefined;
  const profile = query?.get('profile') ?? undefined;
  const base = pair?.[1] ?? '';
  return {
    face: pair ? (pair[2] as 'sse' | 'messages') : 'mcp',
    path: endpoint,
    profile,
    place: profile === undefined ? endpoint : `${endpoint}?profile=${profile}`,
    messagesPath: `${base}/messages`,
    pairId: query?.get('sessionId') ?? undefined,
    share: SHARE.exec(endpoint)?.[1],
  };
}

function toEndpoint(base: string): string {
  if (base === '') return '/mcp';
  return base.startsWith('/mcp') ? base : `${base}/mcp`;
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
