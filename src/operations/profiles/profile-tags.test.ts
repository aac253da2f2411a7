import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { CONFIG_PARTS } from '../../gateway.ts';
import { checkProfile, readServers } from './profile-tags.ts';

const read = (builtin: unknown) =>
  parseConfig(
    JSON.stringify({ builtin, mcpServers: { a: { command: 'a', enabled: false, tags: ['mine'] } } }),
    'a file',
    CONFIG_PARTS,
  );
const OFF = { enabled: false, tags: ['work'] };

describe('a profile for a client', () => {
  it('is refused with the way to switch its servers on when all of them are built in and off', () => {
    const check = () => checkProfile(read({ blog: OFF, storage: OFF, memory: false }), 'work');
    expect(check).toThrow(
      expect.objectContaining({
        code: 'UPSTREAM_DISABLED',
        message:
          'every server of the profile "work" is switched off: storage, blog; thimble server enable storage switches one on',
      }),
    );
  });

  it('is taken when one of its servers is on, or may be switched on while it is used', () => {
    checkProfile(read({ blog: OFF, storage: { tags: ['work'] } }), 'work');
    checkProfile(read(true), 'mine');
  });

  it('is unknown when no server carries it, on or off', () => {
    const check = () => checkProfile(read({ blog: OFF }), 'wrok');
    expect(check).toThrow(expect.objectContaining({ code: 'NAME_UNKNOWN' }));
    expect(check).toThrow('did you mean "work"?');
  });

  it('keeps the tags of built-in servers that are off', () => {
    const servers = readServers({ config: read({ blog: OFF, memory: false }) });
    expect(servers.find(({ name }) => name === 'blog')).toMatchObject({ enabled: false, tags: ['work'] });
    expect(servers.find(({ name }) => name === 'memory')).toMatchObject({ enabled: false, tags: [] });
  });
});
