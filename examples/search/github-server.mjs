// Stands in for GitHub's server: a few tools and a resource; it speaks the legacy era.
import { serveTiny, texts } from './tiny-server.mjs';

const repository = { owner: 'Who owns the repository', repo: 'Name of the repository' };
const issues = [];

await serveTiny({
  name: 'github',
  title: 'GitHub',
  era: 'legacy',
  tools: [
    {
      name: 'create_issue',
      description: 'Create a new issue in a repository.',
      inputSchema: texts({ ...repository, title: 'Title of the issue' }, { body: 'Text of the issue' }),
      run({ owner, repo, title }) {
        issues.push(title);
        return `created ${owner}/${repo}#${issues.length}: ${title}`;
      },
    },
    {
      name: 'list_issues',
      description: 'List the issues of a repository.',
      inputSchema: texts(repository),
      annotations: { readOnlyHint: true },
      run: () => issues.join('\n'),
    },
    {
      name: 'create_pull_request',
      description: 'Open a pull request from one branch to another.',
      inputSchema: texts({ ...repository, head: 'Branch with the changes', base: 'Branch to change' }),
      run: ({ head, base }) => `opened ${head} → ${base}`,
    },
    {
      name: 'search_code',
      description: 'Search the code of all repositories.',
      inputSchema: texts({ q: 'What to look for' }),
      annotations: { readOnlyHint: true },
      run: () => 'nothing found',
    },
  ],
  resources: [
    { uri: 'repo://thimble/readme', name: 'readme', mimeType: 'text/markdown', text: '# A readme' },
  ],
});
