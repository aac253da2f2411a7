import { describe, expect, it } from 'vitest';
import { openTestHouse } from '../operations/test-house.contract.ts';
import { createApi } from './api.ts';

const TOKEN = `tk_${'a'.repeat(43)}`;
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

async function ask(path: string, init: RequestInit = {}) {
  await using house = await openTestHouse();
  let opened = 0;
  const api = createApi({
    token: TOKEN,
    toHouse: (call) => {
      opened += 1;
      return { ...house, ...call };
    },
  });
  const response = await api(new Request(`http://127.0.0.1${path}`, init));
  const body: unknown = response && JSON.parse(await response.text());
  return { status: response?.status, headers: response?.headers, body, opened };
}

const post = (path: string, body: unknown, headers: Record<string, string> = HEADERS) =>
  ask(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

describe('the admin API', () => {
  it('runs an operation and gives its outcome as data and as text', async () => {
    const { status, body } = await post('/api/profile/list', {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ result: { profiles: [] }, text: expect.any(String) });
  });

  it('is not there for other addresses', async () => {
    expect((await ask('/apis')).status).toBeUndefined();
    expect((await ask('/mcp')).status).toBeUndefined();
  });

  it.each(['/api', '/api/', '/api/profile/list', '/api/nothing/at/all', '/api/server/install'])(
    'tells a stranger nothing at %s',
    async (path) => {
      const refused = new Set<string>();
      for (const authorization of [
        '',
        'Bearer',
        'Bearer wrong',
        `Basic ${TOKEN}`,
        `Bearer ${TOKEN}x`,
        `Bearer x${TOKEN}`,
      ]) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
          const { status, body, headers, opened } = await ask(path, { method, headers: { authorization } });
          expect([status, opened]).toEqual([401, 0]);
          expect(headers?.get('www-authenticate')).toBe('Bearer');
          refused.add(JSON.stringify(body));
        }
      }
      expect(refused.size).toBe(1);
    },
  );

  it('lists every operation to whoever has the token', async () => {
    const { body } = await ask('/api', { headers: HEADERS });
    const paths = (body as { operations: { path: string }[] }).operations.map(({ path }) => path);
    expect(paths).toContain('/api/server/install');
    expect(paths).toContain('/api/check_status/show');
  });

  it('answers what cannot be understood with what is wrong and what would be right', async () => {
    const cases: readonly (readonly [
      Promise<{ status: number | undefined; body: unknown }>,
      number,
      string,
    ])[] = [
      [post('/api/profile/lst', {}), 404, 'did you mean \\"list\\"'],
      [post('/api/profil/list', {}), 404, 'did you mean \\"profile\\"'],
      [post('/api/profile', {}), 404, '/api/<noun>/<verb>'],
      [ask('/api/profile/list', { headers: HEADERS }), 405, 'POST'],
      [post('/api/profile/list', '{', HEADERS), 400, 'not JSON'],
      [post('/api/profile/list', '[]', HEADERS), 400, 'JSON object'],
      [post('/api/profile/list', { nonsense: 1 }), 400, 'nonsense'],
      [post('/api/profile/list', {}, { ...HEADERS, 'content-type': 'text/plain' }), 415, 'application/json'],
      [post('/api/profile/list', `{"a":"${'x'.repeat(1_100_000)}"}`), 413, 'larger'],
    ];
    for (const [asked, status, words] of cases) {
      const answer = await asked;
      expect(answer.status, words).toBe(status);
      expect(JSON.stringify(answer.body)).toContain(words);
    }
  });
});
