import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseServerOptions } from './server-options.ts';

const SCHEMA = z.object({ size: z.number().optional(), name: z.string().default('none') });

it('reads options, and none as none', () => {
  expect(parseServerOptions(SCHEMA, 'test', { size: 1 })).toEqual({ size: 1, name: 'none' });
  expect(parseServerOptions(SCHEMA, 'test', undefined)).toEqual({ name: 'none' });
});

it('refuses what it does not know or cannot use, each by its name', () => {
  expect(() => parseServerOptions(SCHEMA, 'test', { size: 'x', sizes: 1 })).toThrow(
    /^the options of test cannot be used: size: .*; .*sizes/,
  );
  expect(() => parseServerOptions(SCHEMA, 'test', [])).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  );
});
