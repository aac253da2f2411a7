import { describe, expect, it } from 'vitest';
import { startsThimble } from './own-program.ts';

describe('an entry that starts this program', () => {
  it.each([
    { command: 'thimble', args: ['stdio'] },
    { command: 'C:\\\\bin\\\\thimble.cmd', args: ['run', 'memory'] },
    { command: 'npx', args: ['-y', 'thimble', 'stdio', '--config', 'x'] },
    { command: 'node', args: ['/opt/thimble/dist/main.js', 'stdio'] },
    { command: 'node', args: ['/src/my-clone/dist/main.js', 'stdio', '--config', '/home/a/thimble.jsonc'] },
  ])('is known by its program: %j', (entry) => {
    expect(startsThimble(entry)).toBe(true);
  });

  it.each([
    { command: 'node', args: ['/src/other-server/dist/main.js', 'run'] },
    { command: 'node', args: ['/src/other-server/dist/main.js', 'stdio'] },
    { command: 'thimble-helper', args: ['stdio'] },
    { command: 'thimble', args: ['--version'] },
    { url: 'https://example.org/thimble' },
  ])('is not taken for one of another program: %j', (entry) => {
    expect(startsThimble(entry)).toBe(false);
  });
});
