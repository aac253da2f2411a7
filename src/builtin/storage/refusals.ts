/** Every way storage says no, so that one refusal has one code and one wording. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { toSizeText } from '../size.ts';
import { toPreview } from '../text.ts';

/** The content is longer than an upload may be. */
export function toSizeError(limit: number): GatewayError {
  return new GatewayError(
    'BODY_TOO_LARGE',
    `the file is larger than the ${toSizeText(limit)} one upload may have; send less, or raise maxUploadMb in the options of storage`,
    { data: { reason: 'size', limit } },
  );
}

/** The quota has no room for the content. */
export function toQuotaError(quota: number): GatewayError {
  return new GatewayError(
    'BODY_TOO_LARGE',
    `the file does not fit into the storage quota of ${toSizeText(quota)}; delete files (list_files, delete_file), or raise quotaMb in the options of storage`,
    { data: { reason: 'quota', quota } },
  );
}

/** The content is a program. */
export function toTypeError(what: string): GatewayError {
  return new GatewayError(
    'UNSUPPORTED_MEDIA',
    `programs are not stored here, and this is ${what}; put it into an archive if it must be kept`,
    { data: { reason: 'type' } },
  );
}

/** No file of this principal has the key. */
export function toUnknownFileError(key: string): GatewayError {
  return new GatewayError(
    'RESOURCE_NOT_FOUND',
    `there is no file with the key "${toPreview(key, 60)}", or its upload is not finished; list_files shows the keys`,
    { data: { reason: 'unknown', key: toPreview(key, 60) } },
  );
}

/** The file is known, but its bytes are not where they should be. */
export function toMissingContentError(key: string): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `the content of file ${key} is not in the storage configured now; configure the one it was uploaded to, or delete the file`,
    { data: { reason: 'content', key } },
  );
}

/** The upload was never announced, was completed, or came too late. */
export function toUnknownUploadError(): GatewayError {
  return new GatewayError(
    'RESOURCE_NOT_FOUND',
    'this upload was completed, has expired, or was never announced; call upload_file for a new URL',
    { data: { reason: 'upload' } },
  );
}

/** Somebody is sending the same upload at this moment, or took it over. */
export function toBusyUploadError(): GatewayError {
  return new GatewayError(
    'TOO_BUSY',
    'this upload is being sent already; wait for it to end, or call upload_file for a URL of its own',
    { data: { reason: 'busy' } },
  );
}

/** The body is shorter or longer than was said. */
export function toLengthError(size: number, length: number): GatewayError {
  return new GatewayError(
    'INVALID_REQUEST',
    `the upload had ${size} bytes where ${length} were announced; send all of it again`,
    { data: { reason: 'length', size, length } },
  );
}

/** The address was not signed here, was altered, or its time is over. */
export function toLinkError(verdict: 'expired' | 'wrong'): GatewayError {
  const message =
    verdict === 'expired'
      ? 'this link has expired; ask for a new one with get_file_url or upload_file'
      : 'this link was not made here or was altered; use it exactly as it was given';
  return new GatewayError('INVALID_REQUEST', message, { data: { reason: 'link', verdict } });
}

/** Too many uploads were announced and never sent. */
export function toTooManyUploadsError(limit: number): GatewayError {
  return new GatewayError(
    'TOO_BUSY',
    `${limit} uploads are announced and not finished; finish some, or wait until they expire`,
    { data: { reason: 'uploads', limit } },
  );
}

/** There is no HTTP server to point a link to. */
export function toNoServerError(what: string): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `${what} needs the gateway's HTTP server, which does not run in this process; start \`thimble serve\`, or configure an S3 store`,
    { data: { reason: 'server' } },
  );
}
