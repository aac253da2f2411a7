import { describe, expect, it } from 'vitest';
import { toHeaderValue } from './header-value.ts';
import { toParamHeaders } from './param-headers.ts';

describe('a header value', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('for %j is %s, as the specification has it', (text, encoded) => {
    expect(toHeaderValue(text)).toBe(encoded);
  });
});

describe('the headers of a call', () => {
  const tool = {
    inputSchema: {
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
        bad: { type: 'string', 'x-mcp-header': 'no good\r\n' },
        query: { type: 'string' },
      },
    },
  };

  it('mirror the arguments the schema marks, at any depth', () => {
    const args = { region: 'ü', deep: { count: 42 }, dry: false, bad: 'x', query: 'q' };
    expect(toParamHeaders(tool, args)).toEqual({
      'Mcp-Param-Region': '=?base64?w7w=?=',
      'Mcp-Param-Count': '42',
      'Mcp-Param-Dry': 'false',
    });
  });

  it('leave out what is absent or null', () => {
    expect(toParamHeaders(tool, { region: null })).toBeUndefined();
    expect(toParamHeaders(undefined, { region: 'x' })).toBeUndefined();
  });
});
