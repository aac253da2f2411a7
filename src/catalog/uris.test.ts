import { describe, expect, it } from 'vitest';
import { type FakeOffer, toManifest } from '../../test/support/fake-upstreams.ts';
import type { UpstreamId } from '../model/ids.ts';
import { createUriTable } from './uris.ts';

const a = 'a' as UpstreamId;
const b = 'b' as UpstreamId;
const table = (offers: Record<string, FakeOffer>) =>
  createUriTable(
    Object.entries(offers).map(([id, offer]) => ({
      upstream: id as UpstreamId,
      title: id,
      core: false,
      tags: [],
      manifest: toManifest(offer),
    })),
  );

describe('public URIs', () => {
  it('leaves a URI alone while one upstream owns it', () => {
    const uris = table({ a: { resources: ['file:///x'] }, b: { resources: ['file:///y'] } });
    expect(uris.toPublic(a, 'file:///x')).toBe('file:///x');
    expect(uris.ownerOf('file:///y')).toEqual({ upstream: b, uri: 'file:///y' });
  });

  it('qualifies a URI that two upstreams have, and finds both again', () => {
    const uris = table({ a: { resources: ['file:///x'] }, b: { resources: ['file:///x'] } });
    expect(uris.toPublic(a, 'file:///x')).toBe('thimble://s/a/file:///x');
    expect(uris.ownerOf('thimble://s/b/file:///x')).toEqual({ upstream: b, uri: 'file:///x' });
  });

  it('keeps the scheme of an app page when it qualifies one', () => {
    const uris = table({ a: { resources: ['ui://board'] }, b: { resources: ['ui://board'] } });
    expect(uris.toPublic(b, 'ui://board')).toBe('ui://b/board');
    expect(uris.ownerOf('ui://a/board')).toEqual({ upstream: a, uri: 'ui://board' });
  });

  it('never lets an upstream speak for another by the form of its URI', () => {
    const uris = table({ a: { resources: ['thimble://s/b/file:///x'] }, b: { resources: ['file:///x'] } });
    expect(uris.toPublic(a, 'thimble://s/b/file:///x')).toBe('thimble://s/a/thimble://s/b/file:///x');
    expect(uris.ownerOf('thimble://s/b/file:///x')).toEqual({ upstream: b, uri: 'file:///x' });
  });

  it('never lets an upstream take the page of another by the form it gets on a clash', () => {
    const uris = table({
      a: { resources: ['ui://board'] },
      evil: { resources: ['ui://board', 'ui://a/board'] },
    });
    const evil = 'evil' as UpstreamId;
    expect(uris.toPublic(a, 'ui://board')).toBe('ui://a/board');
    expect(uris.ownerOf('ui://a/board')).toEqual({ upstream: a, uri: 'ui://board' });
    expect(uris.toPublic(evil, 'ui://a/board')).toBe('ui://evil/a/board');
    expect(uris.ownerOf('ui://evil/a/board')).toEqual({ upstream: evil, uri: 'ui://a/board' });
  });

  it('gives every URI a form of its own, however often the forms meet', () => {
    const lists = {
      a: ['ui://x', 'ui://a/x', 'ui://a/a/x', 'thimble://s/b/ui://x'],
      b: ['ui://x', 'ui://b/a/x', 'ui://b/x'],
    };
    const uris = table({ a: { resources: lists.a }, b: { templates: lists.b } });
    for (const [id, list] of Object.entries(lists)) {
      for (const uri of list) {
        const upstream = id as UpstreamId;
        expect(uris.ownerOf(uris.toPublic(upstream, uri))).toEqual({ upstream, uri });
      }
    }
  });

  it('finds whose template made a page, though two have the same template', () => {
    const uris = table({ a: { templates: ['ui://{x}'] }, b: { templates: ['ui://{x}'] } });
    expect(uris.toPublic(b, 'ui://{x}')).toBe('ui://b/{x}');
    expect(uris.ownerOf('ui://b/board')).toEqual({ upstream: b, uri: 'ui://board' });
    expect(uris.ownerOf('ui://c/board')).toBeUndefined();
  });

  it('finds who made a URI by its template, else by its scheme, else not at all', () => {
    const uris = table({
      a: { templates: ['db://{table}'] },
      b: { resources: ['note:///1'] },
      c: { resources: ['web://1'] },
    });
    expect(uris.ownerOf('db://users')).toEqual({ upstream: a, uri: 'db://users' });
    expect(uris.ownerOf('note:///2')).toEqual({ upstream: b, uri: 'note:///2' });
    expect(uris.ownerOf('other://x')).toBeUndefined();
  });

  it('maps every field that carries a clashing URI, and no other', () => {
    const uris = table({ a: { resources: ['x://1', 'ui://p'] }, b: { resources: ['x://1', 'ui://p'] } });
    const result = {
      content: [
        { type: 'resource_link', uri: 'x://1', name: 'one' },
        { type: 'resource', resource: { uri: 'x://1', text: 'x://1' } },
        { type: 'text', text: 'x://1' },
      ],
      structuredContent: { uri: 'x://1' },
      _meta: { ui: { resourceUri: 'ui://p' } },
    };
    expect(uris.mapFields(a, result)).toEqual({
      content: [
        { type: 'resource_link', uri: 'thimble://s/a/x://1', name: 'one' },
        { type: 'resource', resource: { uri: 'thimble://s/a/x://1', text: 'x://1' } },
        { type: 'text', text: 'x://1' },
      ],
      structuredContent: { uri: 'x://1' },
      _meta: { ui: { resourceUri: 'ui://a/p' } },
    });
  });

  it('maps the page of an app where it is named in a member of its own', () => {
    const uris = table({ a: { resources: ['ui://p'] }, b: { resources: ['ui://p'] } });
    const _meta = { 'ui/resourceUri': 'ui://p', 'openai/outputTemplate': 'ui://p', other: 'ui://p' };
    expect(uris.mapFields(b, { _meta })).toEqual({
      _meta: { 'ui/resourceUri': 'ui://b/p', 'openai/outputTemplate': 'ui://b/p', other: 'ui://p' },
    });
  });

  it('hands through as it is whatever names no clashing URI', () => {
    const uris = table({ a: { resources: ['ui://p'] }, b: { resources: ['ui://p'] } });
    const value = {
      content: [{ type: 'resource_link', uri: 'x://1' }],
      _meta: { ui: { resourceUri: 'ui://q' } },
    };
    expect(uris.mapFields(a, value)).toBe(value);
  });

  it('hands results through untouched while nothing clashes', () => {
    const uris = table({ a: { resources: ['x://1'] } });
    const result = { content: [{ type: 'resource_link', uri: 'x://1' }] };
    expect(uris.mapFields(a, result)).toBe(result);
  });
});
