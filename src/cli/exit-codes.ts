/** What the number means with which a command ends. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { ErrorCode } from '../errors/table.ts';

/** Every exit code, with its meaning; docs are generated from it. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'It was done, or everything is well.' },
  failed: { code: 1, meaning: 'It could not be done, or a check found something bad.' },
  usage: { code: 2, meaning: 'The words or options were wrong; nothing was tried.' },
  consent: { code: 3, meaning: 'A person has to agree first, or did not.' },
  unknown: { code: 4, meaning: 'Nothing has the name that was given.' },
  later: { code: 5, meaning: 'It may work if it is tried again later.' },
  stopped: { code: 130, meaning: 'It was stopped by a signal.' },
} as const;

const BY_ERROR: Partial<Record<ErrorCode, keyof typeof EXIT_CODES>> = {
  INVALID_PARAMS: 'usage',
  CONSENT_NEEDED: 'consent',
  CONSENT_REFUSED: 'consent',
  NAME_UNKNOWN: 'unknown',
  ENDPOINT_NOT_FOUND: 'unknown',
  CALL_CANCELLED: 'stopped',
};

/** The exit code of an error. */
export function toExitCode(error: Error): number {
  if (!(error instanceof GatewayError)) return EXIT_CODES.failed.code;
  return EXIT_CODES[BY_ERROR[error.code] ?? (error.row.retry ? 'later' : 'failed')].code;
}

/** The exit code of something that came to its end, well or not. */
export function toEndCode(succeeded: boolean): number {
  return (succeeded ? EXIT_CODES.ok : EXIT_CODES.failed).code;
}
