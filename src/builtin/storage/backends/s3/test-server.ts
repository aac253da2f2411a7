/** A real S3 server on this machine, for tests. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { S3Options } from './backend.ts';

interface S3rver {
  readonly store: {
    putObject(object: { bucket: string; key: string }): Promise<{ size: number }>;
    putPart(bucket: string, upload: string, part: number, content: unknown): Promise<{ size: number }>;
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
  };
  configureBuckets(): Promise<unknown>;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  readonly logger: { close(): void; readonly exceptions: { unhandle(): void } };
}

/** A server that runs, with one bucket. */
export interface S3TestServer extends AsyncDisposable {
  readonly options: Required<S3Options>;
  /** What was asked of it, as `METHOD path?query`. */
  readonly requests: readonly string[];
  /** How many connections are open to it. */
  connections(): Promise<number>;
}

/** Starts a server; disposing it ends it and removes what it kept. */
export async function openS3TestServer(bucket = 'files'): Promise<S3TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'thimble-s3-'));
  // @ts-expect-error The package has no types.
  const { default: Server } = (await import('s3rver')) as { default: new (options: object) => S3rver };
  const s3 = new Server({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  waitForTheDisk(s3);
  await s3.configureBuckets();
  const requests: string[] = [];
  const answer = s3.callback();
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  // Connections last, so that it is seen who does not let go of them.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    connections: () => promisify(http.getConnections.bind(http))(),
    options: {
      bucket,
      endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      pathStyle: true,
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      s3.logger.exceptions.unhandle();
      s3.logger.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** This server answers before its own writes have reached the file, so an answer is held until they have. */
function waitForTheDisk({ store }: S3rver): void {
  const putObject = store.putObject.bind(store);
  const putPart = store.putPart.bind(store);
  store.putObject = async (object) => {
    const result = await putObject(object);
    await untilSize(store.getResourcePath(object.bucket, object.key, 'object'), result.size);
    return result;
  };
  store.putPart = async (bucket, upload, part, content) => {
    const result = await putPart(bucket, upload, part, content);
    const folder = store.getResourcePath(bucket, undefined, 'uploads');
    await untilSize(join(folder, upload, String(part)), result.size);
    return result;
  };
}

async function untilSize(path: string, size: number): Promise<void> {
  while ((await stat(path)).size < size) await new Promise((resolve) => setImmediate(resolve));
}
