import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runProgram } from '../program.ts';

it('gives advice that works: servers move from .mcp.json into thimble.jsonc, and the file then leads to them', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'thimble-mcp-config-'));
  const [cwd, home] = [join(dir, 'work'), join(dir, '.thimble')];
  const run = async (...words: string[]) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const ports = {
      cwd,
      env: { HOME: dir },
      print,
      streams: { input: new PassThrough(), output: new PassThrough() },
      program: [process.execPath, '/opt/thimble/dist/main.js'],
      terminal: undefined,
      stopped: new Promise<string>(() => {}),
    };
    const code = await runProgram([...words, '--home', home], ports, { print, complain: print });
    return { code, text: lines.join('\n') };
  };
  try {
    await mkdir(cwd);
    const desk = { command: 'desk', env: { DESK_TOKEN: 'kestrel-99' } };
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { desk } }));
    const refused = await run('mcp-config', '--combined', '--yes', '--config', '.mcp.json');
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('thimble config migrate') });
    const moved = await run('config', 'migrate', '--yes');
    expect(moved).toMatchObject({ code: 0, text: expect.stringContaining('desk: added') });
    expect(await readFile(join(home, 'thimble.jsonc'), 'utf8')).toContain('"command": "desk"');
    expect(await run('mcp-config', '--combined', '--yes')).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, '.mcp.json'), 'utf8')).toContain(join(home, 'thimble.jsonc'));
    // What leads here is not taken for a server to move in.
    expect((await run('config', 'migrate', '--yes')).text).toContain('Nothing is new.');
  } finally {
    await rm(dir, { recursive: true });
  }
});
