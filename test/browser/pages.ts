/** A blog served on loopback, and a Chromium that may reach nothing else. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Browser, chromium } from 'playwright-core';
import { createBlogRoutes } from '../../src/builtin/blog/http.ts';
import type { BlogParts } from '../../src/builtin/blog/ports.ts';
import { createBlogServer } from '../../src/builtin/blog/server.ts';
import { openTestClient, type TestClient } from '../../src/builtin/test-client.contract.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';

/** A blog that can be written to and looked at. */
export interface ServedBlog {
  readonly origin: string;
  readonly client: TestClient;
  /** Sets the time of day. */
  setTime(iso: string): void;
  close(): Promise<void>;
}

/** Serves a new blog. */
export async function serveBlog(): Promise<ServedBlog> {
  let time = new Date('2026-06-20T09:00:00Z');
  const parts: BlogParts = { store: createMemoryStore(), now: () => time };
  const routes = createBlogRoutes(parts);
  const server = createServer(
    getRequestListener(async (request) => (await routes(request)) ?? new Response(null, { status: 404 })),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    client: await openTestClient(createBlogServer(parts)),
    setTime(iso) {
      time = new Date(iso);
    },
    close: () => closeServer(server),
  };
}

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['THIMBLE_CHROMIUM'] ?? '/usr/bin/chromium';
  // Whatever is not on this machine is asked of a proxy that does not exist.
  const proxy = { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' };
  const args = ['--no-sandbox', '--disable-gpu', '--proxy-bypass-list=<-loopback>;127.0.0.1'];
  return chromium.launch({ executablePath, proxy, args });
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}
