/** Bad JSON-RPC and bad HTTP: each gets one of the answers it may get, always JSON, and the next request is served. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { type HttpGateway, openHttpGateway, servesOn } from './http-gateway.ts';
import { readCases } from './shared.ts';

interface BadRequest {
  readonly id: string;
  readonly name: string;
  readonly body: string | null;
  readonly body_b64: string | null;
  readonly headers: Record<string, string>;
  readonly expect_http: readonly number[];
  readonly expect_code: readonly (number | null)[];
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

let http: HttpGateway;
beforeAll(async () => {
  http = await openHttpGateway();
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
});

describe.each(readCases<BadRequest>('jsonrpc_http_bad'))('$id $name', (bad) => {
  it('gets an answer it may get, and costs the next request nothing', async () => {
    const { status, type, text } = await put(bad);
    expect(bad.expect_http).toContain(status);
    expect(type).toMatch(/^application\/json/);
    expect(text).not.toMatch(/<html|\n\s+at /i);
    const { error } = JSON.parse(text) as { error?: JsonObject };
    const codes = bad.expect_code.filter((code) => code !== null);
    if (codes.length > 0) expect(bad.expect_code).toContain(error?.['code'] ?? null);
    expect(await servesOn(http)).toBe(true);
  });
});

async function put({ body, body_b64: base64, headers }: BadRequest): Promise<Answer> {
  if (body === 'GENERATE:CHUNKED') return putEndless();
  if (body === 'GENERATE:SHORTBODY') return putShort();
  if (body?.startsWith('GENERATE:')) throw new Error(`nobody knows how to build ${body}`);
  // A modern request knows no session; a legacy one assumes that one was opened.
  const session = headers['mcp-protocol-version'] === '2026-07-28' ? { 'mcp-session-id': undefined } : {};
  const bytes = base64 === null ? Buffer.from(body ?? '') : Buffer.from(base64, 'base64');
  const answer = await http.post(bytes, { ...session, ...headers });
  return { status: answer.status, type: String(answer.headers['content-type']), text: answer.text };
}

/** Sends chunks until there is an answer. */
function putEndless(): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      http.url,
      { method: 'POST', headers: http.headers, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          outgoing.destroy();
          resolve({
            status: response.statusCode ?? 0,
            type: String(response.headers['content-type']),
            text,
          });
        });
      },
    );
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const more = () => {
      while (!outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.on('drain', more).on('error', reject);
    more();
  });
}

/** Promises more bytes than it sends, and ends. */
function putShort(): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lines = Object.entries(http.headers).map(([name, value]) => `${name}: ${value}`);
    const head = ['POST /mcp/direct HTTP/1.1', 'host: localhost', ...lines, 'content-length: 1000', '', ''];
    const socket = connect(http.server.port, '127.0.0.1', () => socket.end(`${head.join('\r\n')}{"jsonrpc"`));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => {
      const [, status = '0'] = /^HTTP\/1.1 (\d+)/.exec(text) ?? [];
      const [, type = ''] = /content-type: (.*)\r\n/i.exec(text) ?? [];
      resolve({ status: Number(status), type, text: text.slice(text.indexOf('\r\n\r\n') + 4) });
    });
  });
}
