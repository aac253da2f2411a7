import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDisposition, toSafeName } from './file-name.ts';
import { checkHead, checkMimeType, guessMimeType, parseMimeType } from './file-types.ts';

describe('the first bytes', () => {
  it.each([
    ['an ELF program', Buffer.from('7f454c460201', 'hex')],
    ['a Mach-O program', Buffer.from('cffaedfe07000001', 'hex')],
    ['a fat Mach-O program', Buffer.from('cafebabe00000002', 'hex')],
    ['a Windows program', Buffer.from('4d5a90000300000004', 'hex')],
    ['a shell script', Buffer.from('#!/bin/sh\nrm -rf ~')],
    ['a script with a space', Buffer.from('#! /usr/bin/env python3')],
  ])('give away %s', (_, head) => {
    expect(() => checkHead(head)).toThrow(/programs are not stored here/);
  });

  it.each([
    ['nothing', ''],
    ['text that begins like a Windows program', 'MZ is how I sign my letters'],
    ['Rust source', '#![allow(dead_code)]\nfn main() {}'],
    ['Markdown', '# Title'],
    ['a PNG', '\x89PNG\r\n'],
  ])('of %s are fine', (_, head) => {
    expect(() => checkHead(Buffer.from(head, 'latin1'))).not.toThrow();
  });
});

describe('a type', () => {
  it('is refused when it says the content is a program', () => {
    for (const type of ['application/x-msdownload', 'application/x-sh', 'application/x-executable'])
      expect(() => checkMimeType(type)).toThrow(type);
    expect(() => checkMimeType('text/plain')).not.toThrow();
  });

  it('loses its parameters and capitals, and is none when it is malformed', () => {
    expect(parseMimeType('Text/HTML; charset=utf-8')).toBe('text/html');
    for (const text of ['', 'text', 'text/', 'a/b\r\nx: y', 'text /plain', '<script>/x'])
      expect(parseMimeType(text)).toBeUndefined();
  });

  it('is guessed from the name', () => {
    expect(guessMimeType('Plan.PDF')).toBe('application/pdf');
    expect(guessMimeType('no-ending')).toBe('application/octet-stream');
    expect(guessMimeType('x.constructor')).toBe('application/octet-stream');
  });
});

describe('the name of a download', () => {
  it('keeps what is harmless and replaces what is not', () => {
    expect(toSafeName('../../etc/passwd')).toBe('_.._etc_passwd');
    expect(toSafeName('a\u202egnp.exe')).toBe('a_gnp.exe');
    expect(toSafeName('...')).toBe('file');
    expect(toDisposition('a"; x=".txt')).toBe(
      `attachment; filename="a_; x=_.txt"; filename*=UTF-8''a_%3B%20x%3D_.txt`,
    );
  });

  it('is a valid header whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const value = toDisposition(name);
        expect(new Headers({ 'content-disposition': value }).get('content-disposition')).toBe(value);
        expect(value).toMatch(/^attachment; filename="[^"\\]+"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/);
      }),
    );
  });
});
