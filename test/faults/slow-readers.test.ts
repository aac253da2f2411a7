/** Clients that take their answers too slowly, and clients without end: rows F10 and L5. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { bundlePrograms, type Programs, readResident, startHost } from '../support/fault-gateway.ts';
import { IS_FULL, printFigures, timed, times } from '../support/fault-kit.ts';
import { fixture } from '../support/program.ts';
import { POST_HEADERS, send, toModern } from '../support/raw-http.ts';

const MB = 1024 * 1024;
const OWED_BYTES = 20 * MB;
const giant = { command: process.execPath, args: [fixture('giant.mjs')], maxMessageBytes: 32 * MB };
const echo = { command: process.execPath, args: [fixture('faulty.mjs')] };

let programs: Programs;
beforeAll(async () => {
  programs = await bundlePrograms();
});
afterAll(() => programs[Symbol.dispose]());

const say = (id: number) => toModern('tools/call', { name: 'echo', arguments: { text: 'x' } }, id);
const owe = (id: number) => toModern('tools/call', { name: 'result', arguments: { bytes: OWED_BYTES } }, id);

/** Asks for a long answer and reads a kilobyte of it a second; resolves when it has begun, with the way to end it. */
async function readSlowly(url: string, id: number): Promise<() => void> {
  const { host, hostname, port } = new URL(url);
  const { headers = {}, body } = owe(id);
  const text = JSON.stringify(body);
  const named = Object.entries(headers).filter(([, value]) => value !== undefined);
  const head = [
    'POST /mcp/direct HTTP/1.1',
    `host: ${host}`,
    ...named.map(([name, value]) => `${name}: ${value}`),
  ];
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  await once(socket, 'readable');
  const reading = setInterval(() => socket.read(1_024), 1_000);
  return () => {
    clearInterval(reading);
    socket.destroy();
  };
}

describe('a client', () => {
  // Time runs faster here, so that a moment in which the machine stands still counts for many seconds.
  it('F10: that reads a kilobyte a second of the 20 MB it is owed costs little memory, and is cut', {
    retry: 2,
  }, async () => {
    const speed = IS_FULL ? 1 : 10;
    const streams = 5;
    await using host = await startHost(programs, { mcpServers: { giant }, speed });
    for (let id = 0; id < 20; id++) await send(`${host.url}/mcp/direct`, say(id));
    await host.collect();
    const before = readResident(host.pid).nowMb;
    let started = 0;
    const stops: (() => void)[] = [];
    // One after the other: the server cannot print two long answers at once.
    for (let id = 1; id <= streams; id++) {
      started = performance.now();
      stops.push(await readSlowly(host.url, id));
    }
    const { mostMb } = readResident(host.pid);
    const { residentMb: heldMb } = await host.collect();
    await expect
      .poll(async () => (await host.inspect()).connections, { timeout: 90_000, interval: 200 })
      .toBe(0);
    const cutMs = (performance.now() - started) * speed;
    for (const stop of stops) stop();
    const { residentMb } = await host.collect();
    printFigures('F10', {
      'slow streams': streams,
      'memory held by MB a stream': ((heldMb - before) / streams).toFixed(1),
      'at most, with the garbage of making the answers': ((mostMb - before) / streams).toFixed(1),
      'the last cut after s': (cutMs / 1_000).toFixed(1),
      'left of it MB': (residentMb - before).toFixed(1),
    });
    expect((heldMb - before) / streams).toBeLessThan(IS_FULL ? 32 : 40);
    expect(cutMs).toBeLessThan(IS_FULL ? 60_000 : 90_000);
  });
});

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'passing', version: '1' },
};

/** Connects, lists, calls and goes, with or without a word. */
async function passBy(url: string, says: boolean): Promise<void> {
  const at = `${url}/mcp/direct`;
  let session: string | undefined;
  const post = (message: JsonObject) =>
    send(at, {
      method: 'POST',
      headers: { ...POST_HEADERS, 'mcp-session-id': session },
      body: { jsonrpc: '2.0', ...message },
    });
  const { headers } = await post({ id: 1, method: 'initialize', params: initialize });
  session = String(headers['mcp-session-id']);
  await post({ method: 'notifications/initialized' });
  expect((await post({ id: 2, method: 'tools/list' })).text).toContain('"echo"');
  const call = { name: 'echo', arguments: { text: session } };
  expect((await post({ id: 3, method: 'tools/call', params: call })).text).toContain(session);
  if (says)
    expect((await send(at, { method: 'DELETE', headers: { 'mcp-session-id': session } })).status).toBe(204);
}

/** So many clients, a few at a time, every other one of which goes without a word. */
async function passAll(url: string, clients: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < clients) {
      next += 1;
      await passBy(url, next % 2 === 0);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

describe('clients', () => {
  it('L5: that come, list, call and go, half of them without a word, leave nothing behind', {
    timeout: 600_000,
    retry: 1,
  }, async () => {
    const clients = times(500, 10_000);
    // Half an hour without use is over after fifteen seconds.
    await using host = await startHost(programs, { mcpServers: { echo }, speed: 120 });
    await passAll(host.url, times(500, 1_000));
    const quiet = () =>
      expect.poll(async () => (await host.inspect()).sessions, { timeout: 120_000 }).toBe(0);
    await quiet();
    const before = (await host.collect()).residentMb;
    const { ms } = await timed(() => passAll(host.url, clients));
    const { sessions } = await host.inspect();
    await quiet();
    // What is free is given back to the machine bit by bit.
    let after = await host.collect();
    for (let look = 0; look < 20 && after.residentMb > before * 1.1; look++) after = await host.collect();
    printFigures('L5', {
      clients,
      'in s': (ms / 1_000).toFixed(1),
      'sessions left right after': sessions,
      'after their time': after.sessions,
      'memory before MB': before.toFixed(0),
      'after MB': after.residentMb.toFixed(0),
    });
    expect(sessions).toBeGreaterThan(0);
    expect(after.connections).toBe(0);
    expect(after.residentMb).toBeLessThan(before * (IS_FULL ? 1.1 : 1.25));
  });
});
