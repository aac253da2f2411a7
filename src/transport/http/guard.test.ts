import { describe, expect, it } from 'vitest';
import { findForeignOrigin, isLoopback } from './guard.ts';

describe('the guard', () => {
  it.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST:80',
    'LocalHost',
    '127.0.0.1',
    '127.0.0.1:65535',
    '[::1]',
    '[::1]:3000',
  ])('lets Host %s pass', (host) => {
    expect(findForeignOrigin({ host })).toBeUndefined();
  });

  it.each([
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:localhost',
    'localhost.',
    'localhost:',
    'localhost:80:80',
    'localhost:123456',
    'localhost@evil.example',
    'user@localhost',
    'user:pass@127.0.0.1:80',
    '127.0.0.1.nip.io',
    '127.0.0.2',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0.0.0.0',
    '::1',
    '[::1',
    '[::1].evil.example',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    ' localhost',
    'localhost ',
    'localhost\nevil',
    'localhost/',
    'localhost, evil.example',
  ])('refuses Host "%s"', (host) => {
    expect(findForeignOrigin({ host })?.code).toBe('HOST_REFUSED');
  });

  it('refuses a request without a Host', () => {
    expect(findForeignOrigin({})?.code).toBe('HOST_REFUSED');
  });

  it.each([
    'http://localhost',
    'https://localhost:5173',
    'http://127.0.0.1:6274',
    'HTTP://LOCALHOST',
    'http://[::1]:80',
  ])('lets Origin %s pass', (origin) => {
    expect(findForeignOrigin({ host: 'localhost', origin })).toBeUndefined();
  });

  it.each([
    '',
    'null',
    'localhost',
    'file://',
    'http://evil.example',
    'http://localhost.evil.example',
    'http://localhost.',
    'http://localhost@evil.example',
    'http://user@localhost',
    'http://localhost/',
    'http://localhost:80/path',
    'http://127.0.0.1.evil.example:80',
    'chrome-extension://localhost',
    'https://localhost, https://evil.example',
    'http://0.0.0.0:80',
  ])('refuses Origin "%s"', (origin) => {
    expect(findForeignOrigin({ host: 'localhost', origin })?.code).toBe('HOST_REFUSED');
  });

  it('takes only addresses of this machine for loopback', () => {
    expect(['127.0.0.1', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '192.168.1.2', 'example.com', ''].some(isLoopback)).toBe(false);
  });
});
