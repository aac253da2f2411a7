import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../model/json.ts';
import { createMemoryStore } from '../../../store/memory-store.ts';
import type { Store } from '../../../store/store.ts';
import { openTestClient, type TestClient } from '../../test-client.contract.ts';
import type { MemoryParts } from '../context.ts';
import { createMemoryServer } from '../server.ts';

let store: Store;
let client: TestClient;

const open = (parts: Partial<MemoryParts> = {}) =>
  openTestClient(createMemoryServer({ store, now: () => new Date('2030-06-01T12:00:00.000Z'), ...parts }));

beforeEach(async () => {
  store = createMemoryStore();
  client = await open();
});

async function keysOf(args: JsonObject = {}, from = client): Promise<readonly string[]> {
  const { data } = await from.call('list_context_sections', args);
  return (data['sections'] as readonly { section_key: string; device_id?: string }[]).map(
    ({ section_key, device_id }) => (device_id === undefined ? section_key : `${section_key}@${device_id}`),
  );
}

async function documentOf(args: JsonObject = {}, from = client): Promise<string> {
  const { data } = await from.call('get_context', { include_dynamic: false, ...args });
  return data['document'] as string;
}

const add = (section_key: string, content: string, more: JsonObject = {}) =>
  client.call('add_context_section', { section_key, section_title: section_key, content, ...more });

describe('a new memory', () => {
  it('begins with the protected sections, in order, once', async () => {
    const keys = [
      'identity',
      'memory_protocol',
      'session_protocol',
      'research_protocol',
      'transparency_rules',
      'capabilities',
      'key_principles',
    ];
    expect(await keysOf()).toEqual(keys);
    const again = await Promise.all([open(), open()]);
    for (const other of again) expect(await keysOf({}, other)).toEqual(keys);
  });

  it('keeps changes when it is opened again', async () => {
    await client.call('update_context_section', { section_key: 'identity', content: 'You are Bert.' });
    expect(await documentOf({}, await open())).toContain('You are Bert.');
  });

  it('speaks of itself by its namespace', async () => {
    const other = await open({ namespace: 'acme', principal: 'p2' });
    expect(await documentOf({}, other)).toContain('[acme: stored');
    expect(await documentOf({}, other)).toContain('# Context of acme');
  });
});

describe('protected sections', () => {
  it('can be changed and switched off, but neither added again nor deleted', async () => {
    expect(await add('identity', 'x')).toMatchObject({
      isError: true,
      text: expect.stringContaining('protected'),
    });
    expect(await client.call('delete_context_section', { section_key: 'identity' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('enabled: false'),
    });
    await client.call('update_context_section', { section_key: 'identity', enabled: false });
    expect(await documentOf()).not.toContain('Who you are here');
    expect(await keysOf()).toContain('identity');
    expect((await client.call('list_context_sections')).text).toContain('identity [protected] [off]');
  });

  it('can be overridden on one device, and the override can go', async () => {
    await add('identity', 'You are on the phone.', { device_id: 'phone' });
    expect(await documentOf({ device_id: 'phone' })).toContain('You are on the phone.');
    expect(await documentOf({ device_id: 'laptop' })).not.toContain('You are on the phone.');
    expect(await documentOf()).not.toContain('You are on the phone.');
    await client.call('delete_context_section', { section_key: 'identity', device_id: 'phone' });
    expect(await documentOf({ device_id: 'phone' })).toBe(await documentOf());
  });
});

describe('sections of a device', () => {
  it('stand in for those of the same key, and further ones come last', async () => {
    await add('tone', 'Be dry.', { sort_order: 5 });
    await add('tone', 'Be warm.', { device_id: 'phone', sort_order: 900 });
    await add('thumbs', 'Be brief.', { device_id: 'phone', sort_order: 1 });
    const phone = await documentOf({ device_id: 'phone' });
    expect(phone).toContain('Be warm.');
    expect(phone).not.toContain('Be dry.');
    expect(phone.indexOf('Be warm.')).toBeLessThan(phone.indexOf('Keeping memories'));
    expect(phone.trim().endsWith('Be brief.')).toBe(true);
    expect(await keysOf()).not.toContain('tone@phone');
    expect(await keysOf({ device_id: 'phone' })).toContain('tone@phone');
  });

  it('count by themselves for whoever runs on that device', async () => {
    await add('tone', 'Be warm.', { device_id: 'phone' });
    expect(await documentOf({}, await open({ device: 'phone' }))).toContain('Be warm.');
  });

  it('switch a section off there when they are off', async () => {
    await add('identity', 'x', { device_id: 'phone' });
    await client.call('update_context_section', {
      section_key: 'identity',
      enabled: false,
      device_id: 'phone',
    });
    expect(await documentOf({ device_id: 'phone' })).not.toContain('Who you are here');
    expect(await documentOf()).toContain('Who you are here');
  });
});

describe('sections', () => {
  it('are refused twice, with the way to change them', async () => {
    await add('tone', 'Be dry.');
    const answer = await add('tone', 'Be warm.');
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('update_context_section') });
    expect(await documentOf()).toContain('Be dry.');
  });

  it('are named when they are not there, with the nearest one', async () => {
    const wrong = await client.call('update_context_section', { section_key: 'identiti', content: 'x' });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('did you mean "identity"') });
    const args = { section_key: 'identity', content: 'x', device_id: 'phone' };
    expect((await client.call('update_context_section', args)).text).toContain('add_context_section');
  });

  it('are deleted once, and then neither deleted nor updated, however many ask at the same moment', async () => {
    await add('tone', 'Be dry.');
    const remove = () => client.call('delete_context_section', { section_key: 'tone' });
    const update = () => client.call('update_context_section', { section_key: 'tone', content: 'x' });
    const [first, ...later] = await Promise.all([remove(), remove(), update()]);
    expect(first).toMatchObject({ isError: false });
    for (const answer of later) {
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('there is no section') });
    }
  });

  it('are an error to update with nothing', async () => {
    expect(await client.call('update_context_section', { section_key: 'identity' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nothing to update'),
    });
  });

  it('take keys of a plain shape only', async () => {
    expect((await add('../x', 'y')).text).toContain('section_key: has to begin with a small letter');
  });

  it('of one principal are not those of another', async () => {
    await add('tone', 'Be dry.');
    expect(await documentOf({}, await open({ principal: 'other' }))).not.toContain('Be dry.');
  });
});

describe('get_context', () => {
  it('tells each platform how to show what is done', async () => {
    expect(await documentOf({ platform: 'claude' })).toContain('italics');
    expect(await documentOf({ platform: 'Cursor' })).toContain('reading code');
    expect(await documentOf({ platform: 'something new' })).toBe(await documentOf());
  });

  it('adds what is known, fenced', async () => {
    await client.call('store_memory', { content: 'Prefers tea', category: 'preference', importance: 9 });
    await client.call('store_memory', { content: 'Not that important' });
    const activeProjects = async () => [{ name: 'Boats', sources: 3, notes: 1 }];
    const { text } = await (await open({ activeProjects })).call('get_context');
    const known = text.slice(text.indexOf('## What is known'));
    expect(known).toMatch(/<stored \w+>/);
    expect(known).toContain('- preference: 1');
    expect(known).toContain('Preferences:\n- #1 Prefers tea');
    expect(known).toContain('- Boats (3 sources, 1 note)');
    expect(known).not.toContain('Not that important');
  });
});

describe('what is known', () => {
  const known = async (parts: Partial<MemoryParts> = {}) => {
    const { text } = await (await open(parts)).call('get_context');
    return text.slice(text.indexOf('## What is known'));
  };

  it('tells of active projects though nothing is remembered yet', async () => {
    expect(await known()).toBe('## What is known\n\nNothing is remembered yet.');
    const activeProjects = async () => [{ name: 'Boats', sources: 3, notes: 1 }];
    expect(await known({ activeProjects })).toContain('Active projects:\n- Boats (3 sources, 1 note)');
  });

  it('reads the same tomorrow when nothing has changed', async () => {
    await client.call('store_memory', { content: 'Prefers tea', importance: 9 });
    const today = await known();
    expect(today).toContain('Prefers tea');
    const tomorrow = await known({ now: () => new Date('2031-01-01') });
    const unfenced = (text: string) => text.replaceAll(/stored \w+/g, 'stored');
    expect(unfenced(tomorrow)).toBe(unfenced(today));
  });
});

describe('resources and prompts', () => {
  it('offer the categories and the context', async () => {
    await client.call('store_memory', { content: 'x', category: 'goal' });
    const read = async (uri: string) => {
      const { contents } = await client.request('resources/read', { uri });
      return (contents as readonly { text: string }[])[0]!.text;
    };
    expect(JSON.parse(await read('memory://categories'))).toEqual([{ category: 'goal', count: 1 }]);
    expect(await read('thimble://context')).toContain('## What is known');
  });

  it('tell how to begin, and the whole guide', async () => {
    const get = async (name: string, args: JsonObject = {}, from = client) => {
      const { messages } = await from.request('prompts/get', { name, arguments: args });
      return (messages as readonly { content: { text: string } }[])[0]!.content.text;
    };
    await client.call('update_context_section', {
      section_key: 'session_protocol',
      content: 'Begin gently.',
    });
    expect(await get('session-start')).toMatch(/Begin gently\.[^#]*## Keeping memories/);
    expect(await get('thimble-guide', { platform: 'claude' })).toBe(await documentOf({ platform: 'claude' }));
    expect(await get('acme-guide', {}, await open({ namespace: 'acme' }))).toContain('# Context of acme');
    const ref = { type: 'ref/prompt', name: 'thimble-guide' };
    const argument = { name: 'platform', value: 'c' };
    expect(await client.request('completion/complete', { ref, argument })).toMatchObject({
      completion: { values: ['claude', 'chatgpt', 'cursor', 'cline'] },
    });
  });
});
