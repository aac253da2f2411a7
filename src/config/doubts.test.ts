import { expect, it } from 'vitest';
import type { Config } from './config.ts';
import { findDoubts } from './doubts.ts';
import { parseConfig } from './parse.ts';
import { TEST_PARTS } from './test-parts.ts';

const builtins = [{ name: 'memory', summary: '' }];
const read = (groups: object): Config =>
  parseConfig(
    JSON.stringify({
      mcpServers: {
        github: { command: 'x' },
        off: { command: 'x', enabled: false },
        'My Tool': { command: 'y' },
      },
      exposure: { noun: { groups } },
    }),
    'a file',
    TEST_PARTS,
  );

it('doubts the id of no server, with the one that may be meant', () => {
  const config = read({ githb: { issue: false }, 'My Tool': { a: false }, elsewhere: { a: false } });
  expect(findDoubts(config, { builtins })).toEqual([
    'exposure.noun.groups.githb: no server has the id "githb" (did you mean "github"?)',
    'exposure.noun.groups["My Tool"]: no server has the id "My Tool" (the id of that server is "my-tool")',
    'exposure.noun.groups.elsewhere: no server has the id "elsewhere"',
  ]);
});

it('doubts no server that is switched off, and none that is ours', () => {
  const config = read({ off: { a: false }, memory: { a: false }, manage: { a: false }, github: {} });
  expect(findDoubts(config, { builtins })).toEqual([]);
});

it('doubts tools only of servers whose tools are known', () => {
  const config = read({
    github: { issue: ['get_isue', 'list_issues'], pull: false },
    'my-tool': { a: ['b'] },
  });
  const tools = new Map([['github', ['get_issue', 'list_issues']]]);
  expect(findDoubts(config, { builtins, tools })).toEqual([
    'exposure.noun.groups.github.issue: github has no tool "get_isue" (did you mean "get_issue"?)',
  ]);
  expect(findDoubts(config, { builtins })).toEqual([]);
});
