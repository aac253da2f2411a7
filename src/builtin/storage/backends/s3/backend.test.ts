import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inPieces, newAttempt, runBackendContract, store } from '../backend.contract.ts';
import { createS3Backend } from './backend.ts';
import { openS3TestServer, type S3TestServer } from './test-server.ts';

let server: S3TestServer;

beforeAll(async () => {
  server = await openS3TestServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const open = () => createS3Backend(server.options);

runBackendContract(open);

it('sends a large content in parts and lets go of them when it breaks', async () => {
  const before = server.requests.length;
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* inPieces(randomBytes(9 * 1024 * 1024));
    throw new Error('cut');
  }
  const attempt = newAttempt();
  await expect(open().put({ attempt, content: broken(), limit: 1e9 })).rejects.toThrow('cut');
  const asked = server.requests.slice(before).map((request) => request.replace(/uploadId=\w+/, 'uploadId=U'));
  const path = `/files/thimble/${attempt}`;
  expect(asked[0]).toBe(`POST ${path}?uploads=`);
  expect(asked[1]).toContain('partNumber=1');
  expect(asked.at(-1)).toMatch(new RegExp(`^DELETE ${path}\\?uploadId=U`));
});

it('lets go of its connections when it is closed', async () => {
  await using quiet = await openS3TestServer();
  const backend = createS3Backend(quiet.options);
  await store(backend, Buffer.from('x'));
  expect(await quiet.connections()).toBe(1);
  await backend.close();
  while ((await quiet.connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
});

it('links straight to the store, as a download under the name of the file, for a while', async () => {
  const { address } = await store(open(), Buffer.from('hello'));
  const link = await open().link({
    key: 'k',
    address,
    name: 'naïve "plan".txt',
    mimeType: 'text/plain',
    seconds: 60,
  });
  const answer = await fetch(link);
  expect(await answer.text()).toBe('hello');
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="na_ve _plan_.txt"; filename*=UTF-8''na%C3%AFve%20_plan_.txt`,
  );
  const expired = link.replace(/X-Amz-Date=\w+/, 'X-Amz-Date=20200101T000000Z');
  expect((await fetch(expired)).status).toBe(403);
});

it('refuses to link to a content that another backend keeps', async () => {
  const request = { key: 'k', address: 'local:abc', name: 'n', mimeType: 'text/plain', seconds: 60 };
  await expect(open().link(request)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});

it.each([
  ['a bucket that is not there', () => ({ ...server.options, bucket: 'nowhere' }), 'no such bucket'],
  [
    'credentials that are wrong',
    () => ({ ...server.options, accessKeyId: 'X', secretAccessKey: 'SECRET-VALUE' }),
    'refused the credentials',
  ],
  [
    'a store that does not run',
    () => ({ ...server.options, endpoint: 'http://127.0.0.1:1' }),
    'check that it runs',
  ],
])('explains %s without its secret', async (_, options, said) => {
  const backend = createS3Backend(options());
  const taking = backend.put({
    attempt: newAttempt(),
    content: inPieces(Buffer.from('x')),
    limit: 10,
  });
  const error = await taking.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(String(error)).toContain(said);
  expect(String(error)).not.toContain('SECRET-VALUE');
});
