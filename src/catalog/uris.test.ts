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

  it('hands results through untouched while nothing clashes', () => {
    const uris = table({ a: { resources: ['x://1'] } });
    const result = { content: [{ type: 'resource_link', uri: 'x://1' }] };
    expect(uris.mapFields(a, result)).toBe(result);
  });
});
