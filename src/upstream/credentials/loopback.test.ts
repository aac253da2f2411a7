import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { systemClock } from '../../lib/clock.ts';
import { openLoopback } from './loopback.ts';

describe('the callback of a login', () => {
  it('takes the first answer with the right state, once', async () => {
    await using loopback = await openLoopback({ clock: systemClock });
    expect(loopback.redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const get = async (tail: string) => (await fetch(loopback.redirectUrl + tail)).status;
    expect(await get('?state=s&code=early')).toBe(400);
    const answer = loopback.answer('s');
    expect(await get('?state=wrong&code=1')).toBe(400);
    expect(await get('?code=1')).toBe(400);
    expect(await get('/other?state=s&code=1')).toBe(404);
    expect((await fetch(`${loopback.redirectUrl}?state=s`, { method: 'POST' })).status).toBe(404);
    expect(await get('?state=s&code=2')).toBe(200);
    expect(Object.fromEntries(await answer)).toEqual({ state: 's', code: '2' });
    expect(await get('?state=s&code=3')).toBe(400);
  });

  it.each(['//', '//[', 'http://['])('outlives a request for %s', async (path) => {
    await using loopback = await openLoopback({ clock: systemClock });
    expect(await askFor(new URL(loopback.redirectUrl), path)).toBe(404);
    const answer = loopback.answer('s');
    await fetch(`${loopback.redirectUrl}?state=s&code=1`);
    expect((await answer).get('code')).toBe('1');
  });

  it('shows nothing of what it was sent', async () => {
    await using loopback = await openLoopback({ clock: systemClock });
    const page = await fetch(`${loopback.redirectUrl}?error_description=<script>`);
    expect(page.headers.get('content-type')).toContain('text/plain');
    expect(await page.text()).not.toContain('script');
  });

  it('is not waited for longer than ten minutes', async () => {
    const clock = createFakeClock();
    await using loopback = await openLoopback({ clock });
    const answer = loopback.answer('s');
    clock.advance(10 * 60_000);
    await expect(answer).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
  });

  it('says so when its port is taken', async () => {
    await using loopback = await openLoopback({ clock: systemClock });
    const port = Number(new URL(loopback.redirectUrl).port);
    await expect(openLoopback({ clock: systemClock, port })).rejects.toMatchObject({ code: 'BIND_REFUSED' });
  });
});

/** The status of a request for a path as it is: `fetch` would put it right. */
function askFor({ hostname, port }: URL, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ hostname, port, path }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
