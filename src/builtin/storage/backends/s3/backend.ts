/** Keeps contents as objects in a bucket of any store that speaks S3. */
import { Readable } from 'node:stream';
import type { GetObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { GatewayError } from '../../../../errors/gateway-error.ts';
import { onceLoaded } from '../../../../lib/once-loaded.ts';
import { toDisposition } from '../../file-name.ts';
import type { Backend, ByteRange, Incoming, LinkRequest, TakenContent } from '../backend.ts';
import { measure } from '../measure.ts';
import { toParts } from './parts.ts';
import { isAbsent, toS3Error } from './s3-error.ts';

/** Which store, and who we are there. */
export interface S3Options {
  readonly bucket: string;
  /** The address of the store; without one it is Amazon's own in the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Without both, the client looks where Amazon's tools keep credentials. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  /** True puts the bucket into the path instead of the host name. */
  readonly pathStyle?: boolean | undefined;
}

type Sdk = typeof import('@aws-sdk/client-s3');

interface Loaded {
  readonly client: S3Client;
  readonly sdk: Sdk;
}

const KIND = 's3';
const PREFIX = 'thimble/';
// Nothing but objects of ours: a key such as `/` would be the bucket itself to some stores.
const ADDRESS = /^s3:(thimble\/[\w-]{1,200})$/;

/** Creates the backend; the client is loaded when it is first needed. */
export function createS3Backend(options: S3Options): Backend {
  const Bucket = options.bucket;
  const where = `${options.endpoint ?? 'at Amazon'} (bucket ${Bucket})`;
  let opened: S3Client | undefined;
  const loaded = onceLoaded(async () => {
    const ready = await load(options);
    opened = ready.client;
    return ready;
  });

  async function ask<T>(run: (loaded: Loaded) => Promise<T>): Promise<T> {
    try {
      return await run(await loaded());
    } catch (error) {
      throw toS3Error(error, where);
    }
  }
  const askMaybe = <T>(run: (loaded: Loaded) => Promise<T>): Promise<T | undefined> =>
    ask((loaded) =>
      run(loaded).catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
      }),
    );

  /** One request for a small content, several for a large one; only one part is in memory at a time. */
  async function upload(Key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const object = { Bucket, Key };
    let UploadId: string | undefined;
    const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
    try {
      for await (const { number, bytes, last } of toParts(content)) {
        if (last && number === 1) {
          await ask(({ client, sdk }) => client.send(new sdk.PutObjectCommand({ ...object, Body: bytes })));
          return;
        }
        UploadId ??= await ask(({ client, sdk }) => begin(client, sdk, object));
        const part = { ...object, UploadId, PartNumber: number, Body: bytes };
        const { ETag } = await ask(({ client, sdk }) => client.send(new sdk.UploadPartCommand(part)));
        Parts.push({ ETag, PartNumber: number });
      }
      const whole = { ...object, UploadId, MultipartUpload: { Parts } };
      await ask(({ client, sdk }) => client.send(new sdk.CompleteMultipartUploadCommand(whole)));
    } catch (error) {
      await cancel(Key, UploadId);
      throw error;
    }
  }

  /** Lets go of the parts; what failed before is what the caller must hear. */
  async function cancel(Key: string, UploadId: string | undefined): Promise<void> {
    if (UploadId === undefined) return;
    await ask(({ client, sdk }) =>
      client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
    ).catch(() => undefined);
  }

  async function remove(Key: string): Promise<void> {
    await askMaybe(({ client, sdk }) => client.send(new sdk.DeleteObjectCommand({ Bucket, Key })));
  }

  async function put({ attempt, content, limit }: Incoming): Promise<TakenContent> {
    const measured = measure(content, limit);
    await upload(toKey(attempt), measured);
    return { address: `${KIND}:${toKey(attempt)}`, ...measured.result() };
  }

  /** Parts of an upload whose process died cost money until somebody lets go of them. */
  async function cancelForgotten(Key: string): Promise<void> {
    const list = await ask(({ client, sdk }) =>
      client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key })),
    ).catch(() => undefined);
    for (const { UploadId } of list?.Uploads ?? []) await cancel(Key, UploadId);
  }

  async function get(address: string, range?: ByteRange): Promise<Readable | undefined> {
    const Key = parseAddress(address);
    if (Key === undefined) return undefined;
    const input: GetObjectCommandInput = { Bucket, Key };
    if (range) input.Range = `bytes=${range.start}-${range.end}`;
    const answer = await askMaybe(({ client, sdk }) => client.send(new sdk.GetObjectCommand(input)));
    return answer?.Body instanceof Readable ? answer.Body : undefined;
  }

  async function link({ address, name, mimeType, seconds }: LinkRequest): Promise<string> {
    const Key = parseAddress(address);
    if (Key === undefined) throw toForeignError(address, where);
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
    const input: GetObjectCommandInput = {
      Bucket,
      Key,
      ResponseContentDisposition: toDisposition(name),
      ResponseContentType: mimeType,
    };
    return ask(({ client, sdk }) =>
      getSignedUrl(client, new sdk.GetObjectCommand(input), { expiresIn: seconds }),
    );
  }

  return {
    kind: KIND,
    shared: false,
    put,
    // An object is there whole once its upload ended, and nobody else can have its address.
    async keep() {},
    async discard(attempt) {
      await cancelForgotten(toKey(attempt));
      await remove(toKey(attempt));
    },
    get,
    async delete(address) {
      const Key = parseAddress(address);
      if (Key !== undefined) await remove(Key);
    },
    link,
    async close() {
      opened?.destroy();
    },
  };
}

async function load(options: S3Options): Promise<Loaded> {
  const sdk = await import('@aws-sdk/client-s3');
  const { accessKeyId, secretAccessKey, endpoint } = options;
  const client = new sdk.S3Client({
    region: options.region ?? 'us-east-1',
    forcePathStyle: options.pathStyle ?? endpoint !== undefined,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    // Stores that are not Amazon's often do not know its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
  });
  return { client, sdk };
}

async function begin(client: S3Client, sdk: Sdk, object: { Bucket: string; Key: string }): Promise<string> {
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(object));
  if (UploadId !== undefined) return UploadId;
  throw new GatewayError('STORE_UNAVAILABLE', 'the file store began an upload without naming it; try again');
}

function toKey(attempt: string): string {
  return `${PREFIX}${attempt}`;
}

function parseAddress(address: string): string | undefined {
  return ADDRESS.exec(address)?.[1];
}

function toForeignError(address: string, where: string): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `the content is not in the file store ${where} (${address.split(':')[0]}); configure the storage it was uploaded to`,
  );
}
