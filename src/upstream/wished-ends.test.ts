import { describe, expect, it } from 'vitest';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Connection } from './upstream.ts';
import { createWishedEnds } from './wished-ends.ts';

const CLOSED = new GatewayError('UPSTREAM_UNAVAILABLE', 'x: the link was closed');

function open(live: Connection | undefined) {
  const asked: string[] = [];
  const ends = createWishedEnds('x', {
    live,
    restart: async (reason) => void asked.push(`restart: ${reason}`),
    end: (reason) => void asked.push(`end: ${reason}`),
  });
  return { ends, asked };
}

const toConnection = () => ({}) as Connection;

describe('a link that is ended on purpose', () => {
  it('tells its calls that the server was restarted, and that they can be made again', async () => {
    const link = toConnection();
    const { ends, asked } = open(link);
    await ends.restart('a person asked');
    expect(asked).toEqual(['restart: a person asked']);
    expect(ends.explain(CLOSED, link)).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringMatching(/^x: was restarted \(a person asked\) .*can be called again$/),
      data: { upstream: 'x' },
    });
  });

  it('tells its calls what harm the server did', () => {
    const link = toConnection();
    const { ends, asked } = open(link);
    ends.end('it took 9 MB');
    expect(asked).toEqual(['end: it took 9 MB']);
    expect(ends.explain(CLOSED, link)).toMatchObject({
      code: 'UPSTREAM_EXITED',
      message: expect.stringContaining('was ended, since it took 9 MB,'),
    });
  });

  it('leaves errors alone that have another cause, and those of other links', async () => {
    const link = toConnection();
    const { ends } = open(link);
    expect(ends.explain(CLOSED, link)).toBe(CLOSED);
    await ends.restart('a person asked');
    expect(ends.explain(CLOSED, toConnection())).toBe(CLOSED);
    const cancelled = new GatewayError('CALL_CANCELLED', 'gone');
    expect(ends.explain(cancelled, link)).toBe(cancelled);
  });
});
