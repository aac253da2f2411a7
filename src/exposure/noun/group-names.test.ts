import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GroupWishes, groupNames } from './group-names.ts';
import { parseNames } from './parse-name.ts';

/** Groups as `noun: action action`. */
function group(names: readonly string[], wishes?: GroupWishes): string[] {
  return groupNames(parseNames(names), wishes).map(
    ({ noun, members }) => `${noun}: ${members.map(({ action }) => action).join(' ')}`,
  );
}

describe('names of one server are grouped by noun', () => {
  it.each<[string, string[], string[]]>([
    ['verb first, plurals folded', ['create_issue', 'list_issues', 'get_issue'], ['issue: create get list']],
    ['camel case', ['listPullRequests', 'getPullRequest'], ['pull_request: get list']],
    [
      'noun first',
      ['repo.get', 'repo.list', 'issue-create', 'issue-close'],
      ['issue: close create', 'repo: get list'],
    ],
    ['a verb in the middle', ['r2_list_buckets', 'r2_get_object'], ['r2: get_object list_buckets']],
    [
      'a prefix all share',
      ['notion_create_page', 'notion_get_page', 'notion_list_users', 'notion_get_user'],
      ['page: create get', 'user: get list'],
    ],
    [
      'a prefix and camel case',
      ['linear_createIssue', 'linear_getIssueById', 'linear_getTeams', 'linear_createTeam'],
      ['issue: create get_by_id', 'team: create get'],
    ],
    ['articles', ['API-retrieve-a-page', 'API-post-page', 'API-post-search'], ['page: post retrieve']],
    ['only verbs behind a prefix', ['git_add', 'git_log', 'git_push'], ['git: add log push']],
    ['an ending all share', ['area_tool', 'bbox_tool', 'union_tool'], ['tool: area bbox union']],
    [
      'longer nouns with the noun they begin with',
      ['create_pull_request', 'get_pull_request', 'get_pull_request_files', 'merge_pull_request'],
      ['pull_request: create get get_files merge'],
    ],
    [
      'what a tool does it to apart from where',
      ['add_card_to_list', 'get_cards_by_list_id', 'archive_card'],
      ['card: add_to_list archive get_by_list_id'],
    ],
    ['joined verbs', ['create_or_update_file', 'get_file'], ['file: create_or_update get']],
    [
      'irregular plurals',
      ['list_indices', 'get_index', 'list_categories', 'get_category'],
      ['category: get list', 'index: get list'],
    ],
  ])('%s', (_what, names, groups) => {
    expect(group(names)).toEqual(groups);
  });

  it('tells two tools with one verb apart by more of their names', () => {
    expect(group(['get_user', 'get_users', 'delete_user'])).toEqual(['user: delete get_user get_users']);
    expect(group(['getUser', 'get_user', 'delete_user'])).toEqual(['user: delete getUser get_user']);
  });

  it('leaves alone what has nothing in common', () => {
    expect(group(['read', 'write', 'send_mail', 'list_files'])).toEqual([]);
  });

  it('makes the groups the configuration asks for, and not those it forbids', () => {
    const names = ['create_issue', 'issue_read', 'close_issue', 'get_repo', 'list_repos'];
    expect(group(names, { issue: ['create_issue', 'issue_read', 'not_there'], repo: false })).toEqual([
      'issue: create read',
    ]);
  });
});

it('groups the same whatever order the names come in, each tool once, each action once a group', () => {
  const verb = fc.constantFrom('get', 'list', 'create', 'delete', 'run', 'x');
  const noun = fc.constantFrom('issue', 'issues', 'page', 'page_block', 'list', 'user_team', '');
  const name = fc
    .tuple(fc.constantFrom('', 'acme_'), verb, noun, fc.constantFrom('', '_by_id', '_tool'))
    .map(([prefix, first, second, tail]) => `${prefix}${first}_${second}${tail}`);
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(name, fc.string()), { maxLength: 20 }), (names) => {
      const groups = groupNames(parseNames(names));
      expect(groupNames(parseNames([...names].reverse()))).toEqual(groups);
      const folded = groups.flatMap(({ members }) => members.map((member) => member.name));
      expect(new Set(folded).size).toBe(folded.length);
      for (const { members } of groups) {
        expect(new Set(members.map(({ action }) => action)).size).toBe(members.length);
        expect(members.length).toBeGreaterThan(1);
      }
    }),
  );
});
