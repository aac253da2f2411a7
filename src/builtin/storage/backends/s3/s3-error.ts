/** Turns what the S3 client threw into a typed error that names the store and the way out, and no secret. */
import { GatewayError } from '../../../../errors/gateway-error.ts';

const REFUSED = new Set([
  'AccessDenied',
  'Forbidden',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'CredentialsProviderError',
]);
const ABSENT = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);

/** True when the client said that there is no such object. */
export function isAbsent(thrown: unknown): boolean {
  return ABSENT.has(nameOf(thrown));
}

/** Keeps errors of ours; tells the rest apart by their name. */
export function toS3Error(thrown: unknown, where: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const reason = nameOf(thrown);
  return new GatewayError('STORE_UNAVAILABLE', `${toSentence(reason, where)}`, {
    cause: thrown,
    data: { where, reason },
  });
}

function toSentence(reason: string, where: string): string {
  if (reason === 'NoSuchBucket')
    return `the file store ${where} has no such bucket; create it, or name another in the options of storage`;
  if (REFUSED.has(reason))
    return `the file store ${where} refused the credentials (${reason}); check accessKeyId and secretAccessKey in the options of storage`;
  return `the file store ${where} cannot be used now (${reason}); check that it runs and that its endpoint is right, then try again`;
}

function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown reason';
  // A connection that failed has a code; an answer of the store has a name.
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return code ?? thrown.name;
}
