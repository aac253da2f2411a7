/** Turns what the driver or the file system threw into a typed error that names the file and the way out. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { ErrorCode } from '../errors/table.ts';

/** Keeps errors of ours; tells the rest apart by their code, never by their text. */
export function toStoreError(thrown: unknown, path: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const reason = codeOf(thrown);
  const fault = FAULTS.find(({ prefixes }) => prefixes.some((prefix) => reason.startsWith(prefix))) ?? OTHER;
  return new GatewayError(fault.code, fault.message(path, reason), { cause: thrown, data: { path, reason } });
}

/** The error of a store file whose content cannot be trusted. */
export function toCorruptError(path: string, reason: string, cause?: unknown): GatewayError {
  return new GatewayError('STORE_CORRUPT', corruptMessage(path, reason), { cause, data: { path, reason } });
}

interface Fault {
  readonly prefixes: readonly string[];
  readonly code: ErrorCode;
  message(path: string, reason: string): string;
}

const corruptMessage = (path: string, reason: string): string =>
  `the store ${path} is damaged (${reason}) and was left as it is; restore it from a backup, or move it away and start again to get a new one`;

const FAULTS: readonly Fault[] = [
  {
    prefixes: ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL'],
    code: 'STORE_LOCKED',
    message: (path) =>
      `another process holds the store ${path}; stop it or wait for it to finish, then try again`,
  },
  {
    prefixes: ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_FORMAT'],
    code: 'STORE_CORRUPT',
    message: corruptMessage,
  },
  {
    prefixes: ['SQLITE_READONLY', 'SQLITE_PERM', 'SQLITE_AUTH', 'EACCES', 'EPERM', 'EROFS'],
    code: 'STORE_UNAVAILABLE',
    message: (path, reason) =>
      `the store ${path} cannot be written (${reason}); make the file and its folder writable, or choose another data directory with --home`,
  },
  {
    prefixes: ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'],
    code: 'STORE_UNAVAILABLE',
    message: (path) => `no space is left for the store ${path}; free some and try again`,
  },
];

const OTHER: Fault = {
  prefixes: [],
  code: 'STORE_UNAVAILABLE',
  message: (path, reason) =>
    `the store ${path} cannot be used (${reason}); check the path and its folder, or choose another data directory with --home`,
};

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'unknown reason';
}
