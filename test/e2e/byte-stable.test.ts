/** What a client is shown does not depend on which server was up, how fast, or in what order. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlace, fixture, serve, untilMet } from '../support/program.ts';

const IDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
const MODES = ['auto', 'direct', 'search', 'category', 'router', 'activate', 'noun'];
/** A hundred by `npm run test:restarts`. */
const RESTARTS = Number(process.env['RESTARTS'] ?? 8);

/** A random but repeatable number below a limit. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % limit;
  };
}

/** One modern request, as plain as can be; the answer as text, for bytes are what counts. */
async function request(url: string, method: string, params: Record<string, unknown>): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bytes', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  return response.text();
}

/** Everything a client is shown before it does anything, in every mode. */
async function lookAround(url: string): Promise<Record<string, string>> {
  const shown: Record<string, string> = {};
  for (const mode of MODES) {
    const at = mode === 'router' ? `${url}/router/mcp` : `${url}/mcp/${mode}`;
    shown[`${mode} tools`] = await request(at, 'tools/list', {});
    shown[`${mode} greeting`] = await request(at, 'server/discover', {});
  }
  shown['prompts'] = await request(`${url}/mcp`, 'prompts/list', {});
  shown['resources'] = await request(`${url}/mcp`, 'resources/list', {});
  return shown;
}

describe(`${RESTARTS} restarts over a warm store`, () => {
  it('show every surface the same to the byte, with random order, delays and failures', async () => {
    const random = createRandom(7);
    await using place = await createPlace({});
    const entries = IDS.map((id) => {
      const words = [fixture('echo-server.mjs'), '--name', id, '--tools', '5'];
      const args = [...words, '--mood', join(place.dir, `${id}.mood`)];
      return [id, { command: process.execPath, args }] as const;
    });
    const write = (shown: typeof entries) =>
      place.write({ builtin: true, exposure: {}, mcpServers: Object.fromEntries(shown) });
    await write(entries);
    const round = async () => {
      await using served = await serve(place);
      const before = await lookAround(served.url);
      // Calls start servers that are slow, fail, or end in the middle of a call: none may change what is shown.
      const calls = IDS.map((id) => {
        const name = random(2) === 0 ? `${id}__echo` : `${id}__exit`;
        return request(`${served.url}/mcp/direct`, 'tools/call', { name, arguments: { text: 'x' } });
      });
      await Promise.race(calls);
      expect(await lookAround(served.url)).toEqual(before);
      return before;
    };
    {
      await using served = await serve(place);
      await untilMet(served, ...IDS);
    }
    const first = await round();
    expect(first['direct tools']).toContain('store_memory');
    expect(first['auto greeting']).toContain('instructions');
    for (let restart = 0; restart < RESTARTS; restart++) {
      for (const id of IDS) {
        await writeFile(join(place.dir, `${id}.mood`), random(4) === 0 ? 'fail' : String(random(300)));
      }
      await write([...entries].sort(() => random(3) - 1));
      expect(await round()).toEqual(first);
    }
  }, 600_000);
});
