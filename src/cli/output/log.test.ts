import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatewayEvent } from '../../events/events.ts';
import { createFeed } from '../../events/feed.ts';
import type { UpstreamId } from '../../model/ids.ts';
import { type LogOptions, openLog } from './log.ts';

function logged(options: Partial<LogOptions>, ...events: GatewayEvent[]): string[] {
  const lines: string[] = [];
  const feed = createFeed();
  const sink = { write: (line: string) => void lines.push(line), [Symbol.dispose]() {} };
  using _log = openLog(feed, { level: 'info', format: 'text', ...options }, sink);
  for (const event of events) feed.publish(event);
  return lines;
}

const upstream = 'files' as UpstreamId;
const fault: GatewayEvent = {
  type: 'fault',
  where: 'tools/call',
  error: new Error('boom'),
  fault: 'a1b2c3d4',
};
const failed: GatewayEvent = {
  type: 'request.failed',
  fault: '0f0f0f0f',
  where: 'tools/call',
  code: 'UPSTREAM_TIMEOUT',
  message: 'files: no answer within 60000 ms',
};
const offline: GatewayEvent = { type: 'upstream.state', upstream, state: 'offline', detail: 'gone' };
const reloaded: GatewayEvent = { type: 'config.reloaded', path: '/x/thimble.jsonc' };
const catalogue: GatewayEvent = { type: 'catalog.changed', tools: 3 };

describe('the log', () => {
  it('says once why a server is down, and again when the reason changes', () => {
    const other: GatewayEvent = { ...offline, detail: 'refused' };
    const connecting: GatewayEvent = { ...offline, state: 'connecting', detail: '' };
    expect(logged({}, offline, connecting, offline, other, offline)).toHaveLength(3);
  });

  it('writes what is as grave as the level asks for, and no more', () => {
    const all = [fault, offline, reloaded, catalogue];
    expect(logged({ level: 'error' }, ...all)).toHaveLength(1);
    expect(logged({ level: 'warn' }, ...all)).toHaveLength(2);
    expect(logged({ level: 'info' }, ...all)).toHaveLength(3);
    expect(logged({ level: 'debug' }, ...all)).toHaveLength(4);
  });

  it('has every id a client was given', () => {
    const [first, second] = logged({}, fault, failed);
    expect(first).toContain('a1b2c3d4');
    expect(first).toContain('boom');
    expect(second).toBe('tools/call: files: no answer within 60000 ms (UPSTREAM_TIMEOUT, fault 0f0f0f0f)');
  });

  it('writes one JSON object a line when asked to', () => {
    const [line = ''] = logged({ format: 'json' }, failed);
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toMatchObject({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'warn',
      event: 'request.failed',
      fault: '0f0f0f0f',
      code: 'UPSTREAM_TIMEOUT',
    });
    expect(JSON.parse(logged({ format: 'json' }, fault)[0] ?? '')).toMatchObject({
      message: expect.stringContaining('boom'),
    });
  });

  it('lets nobody forge a line or steer a terminal', () => {
    const detail = 'x\nfault deadbeef in tools/call\u001b[2J\r';
    const [line = ''] = logged({}, { ...offline, detail });
    expect(line.split('\n')[1]).toMatch(/^ {2}/);
    for (const control of ['\u001b', '\r']) expect(line).not.toContain(control);
  });

  it('appends to a file only its owner may read, with times', () => {
    const folder = mkdtempSync(join(tmpdir(), 'thimble-log-'));
    const file = join(folder, 'log.txt');
    try {
      for (const _run of [1, 2]) {
        const feed = createFeed();
        using _log = openLog(feed, { level: 'info', format: 'text', file });
        feed.publish(reloaded);
      }
      expect(readFileSync(file, 'utf8')).toMatch(/^(\d{4}-\S+Z info {2}configuration: .*\n){2}$/);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('bears that nobody reads the standard error, however often it was opened, with one listener', () => {
    const open = () => openLog(createFeed(), { level: 'info', format: 'text' })[Symbol.dispose]();
    open();
    const listeners = process.stderr.listenerCount('error');
    expect(listeners).toBeGreaterThan(0);
    open();
    expect(process.stderr.listenerCount('error')).toBe(listeners);
  });

  it('says which file it cannot write', () => {
    expect(() => openLog(createFeed(), { level: 'info', format: 'text', file: '/no/such/log' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('/no/such/log') }),
    );
  });
});
