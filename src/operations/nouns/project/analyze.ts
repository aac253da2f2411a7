/** `project analyze`: what the project in the working directory is made of, and which servers would help. */
import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { readProject } from '../../project-facts/facts.ts';
import { findHelp } from '../../project-facts/helpful-servers.ts';
import { isRepository } from '../../project-facts/repository.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import { count } from '../../shown/words.ts';

const FINDING = z.object({ name: z.string(), because: z.string() });

const OUTPUT = z.object({
  path: z.string(),
  languages: z.array(z.object({ name: z.string(), files: z.int() })),
  frameworks: z.array(FINDING),
  services: z.array(FINDING),
  packageManagers: z.array(z.string()),
  tests: z.array(z.string()),
  ci: z.array(z.string()),
  configs: z.array(z.string()),
  keyFiles: z.array(z.string()),
  /** Configured servers that suit it. */
  servers: z.array(z.object({ name: z.string(), because: z.array(z.string()) })),
  /** What no configured server is for. */
  search: z.array(z.object({ query: z.string(), because: z.string() })),
  /** True when only a part was looked at. */
  truncated: z.boolean(),
});

type Analysis = z.input<typeof OUTPUT>;

/** Looks at a project. */
export const analyze = defineOperation({
  noun: 'project',
  verb: 'analyze',
  summary: 'languages, frameworks, tests, helpful servers',
  input: z.object({}),
  output: OUTPUT,
  effects: 'reads',
  formerly: ['analyze_project'],
  examples: [{}],
  async run(_input, house) {
    const { findings, languages, packageManagers, tests, ci, configs, ...facts } = await readProject(
      house.cwd,
      house.signal,
    );
    const { config } = await house.config.read();
    const upstreams = config.upstreams.filter(({ enabled }) => enabled);
    const help = findHelp(findings, upstreams, await readManifests({ upstreams }, house));
    const of = (kind: string) =>
      findings.filter(({ is }) => is === kind).map(({ name, because }) => ({ name, because }));
    return {
      ...facts,
      languages: [...languages],
      frameworks: of('framework'),
      services: of('service'),
      packageManagers: [...packageManagers],
      tests: [...tests],
      ci: [...ci],
      configs: [...((await isRepository(house.cwd)) ? ['git'] : []), ...configs],
      keyFiles: [...facts.keyFiles],
      servers: help.fitting.map(({ name, because }) => ({ name, because: [...because] })),
      search: help.lacking.map(({ search, because }) => ({ query: search, because })),
    };
  },
  toText: toPage,
});

function toPage(analysis: Analysis): string {
  const { path, languages, frameworks, services, servers, search, truncated } = analysis;
  const toNames = (found: Analysis['services']) => found.map(({ name, because }) => `${name} (${because})`);
  const lines = [
    `Project: ${path}`,
    toLine(
      'Languages',
      languages.map(({ name, files }) => `${name} (${count(files, 'file')})`),
    ),
    toLine('Frameworks', toNames(frameworks)),
    toLine('Services', toNames(services)),
    toLine('Package managers', analysis.packageManagers),
    toLine('Tests', analysis.tests),
    toLine('CI', analysis.ci),
    toLine('Set up', analysis.configs),
    toLine('Key files', analysis.keyFiles),
    ...servers.map(({ name, because }) => `The server ${name} suits it: ${because.join('; ')}.`),
    ...search.map(({ query, because }) => `Worth a look: thimble search ${query}, for ${because}.`),
  ];
  if (truncated) lines.push('Only a part was looked at: the project is large or deep.');
  return lines.join('\n');
}

function toLine(title: string, found: readonly string[]): string {
  return `${title}: ${found.length > 0 ? found.join(', ') : 'none found'}`;
}
