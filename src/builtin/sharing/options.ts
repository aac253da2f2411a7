/** What of sharing can be configured. */
import * as z from 'zod';
import { MEGABYTE } from '../size.ts';
import type { NetworkPlace } from './network/network.ts';

const HIGHEST_PORT = 65_535;

const dhtNode = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,253}:[0-9]{1,5}$/, 'expected host:port, such as 192.0.2.7:49737')
  .refine((text) => isPort(toDhtNode(text).port), `the port has to be between 1 and ${HIGHEST_PORT}`);

/** The options of sharing in the configuration file. */
export const SHARING_OPTIONS = z.object({
  name: z.string().min(1).max(100).optional().describe('what contacts see as your name'),
  maxFileMb: z
    .number()
    .positive()
    .max(50_000)
    .optional()
    .describe('megabytes a received file may have (1024)'),
  quotaMb: z
    .number()
    .positive()
    .max(1e9)
    .optional()
    .describe('megabytes all that one contact sent may have together (2048)'),
  bootstrap: z
    .array(dhtNode)
    .min(1)
    .max(100)
    .optional()
    .describe('a DHT of your own instead of the public one: nodes of it as host:port'),
  host: z
    .ipv4()
    .optional()
    .describe('IPv4 address of this machine to bind to and be reached at, instead of all it has'),
});

/** The options, checked. */
export type SharingOptions = z.output<typeof SHARING_OPTIONS>;

const DEFAULT_FILE_MB = 1_024;
const DEFAULT_QUOTA_MB = 2_048;

/** What is taken in from one contact, in bytes. */
export interface IntakeLimits {
  readonly maxFile: number;
  readonly quota: number;
}

/** The two sizes in bytes. */
export function toIntakeLimits({ maxFileMb, quotaMb }: SharingOptions): IntakeLimits {
  return {
    maxFile: Math.floor((maxFileMb ?? DEFAULT_FILE_MB) * MEGABYTE),
    quota: Math.floor((quotaMb ?? DEFAULT_QUOTA_MB) * MEGABYTE),
  };
}

/** Where on the network to be; undefined for the public one on all addresses of the machine. */
export function toNetworkPlace({ bootstrap, host }: SharingOptions): NetworkPlace | undefined {
  if (bootstrap === undefined && host === undefined) return undefined;
  return { bootstrap: bootstrap?.map(toDhtNode), host };
}

function toDhtNode(text: string): { readonly host: string; readonly port: number } {
  const [host = '', port = ''] = text.split(':');
  return { host, port: Number(port) };
}

function isPort(port: number): boolean {
  return port >= 1 && port <= HIGHEST_PORT;
}
