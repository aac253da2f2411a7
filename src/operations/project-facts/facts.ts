/** What a project is made of, read from its own files, each finding with the reason for it. */
import type { CancelSignal } from '../../lib/cancel.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { type ProjectFiles, readProjectFiles } from './files.ts';
import { SIGNS, type Sign } from './signs.ts';

/** Something a project uses, and how one knows. */
export interface Finding {
  readonly name: string;
  readonly is: Sign['is'];
  /** Such as `pg in package.json`. */
  readonly because: string;
  /** What servers for it are called. */
  readonly words: readonly string[];
}

/** Everything that was found. */
export interface ProjectFacts {
  readonly path: string;
  /** By the number of their files, the most first. */
  readonly languages: readonly { readonly name: string; readonly files: number }[];
  readonly findings: readonly Finding[];
  readonly packageManagers: readonly string[];
  readonly tests: readonly string[];
  readonly ci: readonly string[];
  /** What is set up: git, hooks, linters, editors. */
  readonly configs: readonly string[];
  readonly keyFiles: readonly string[];
  /** True when the project is larger than what is looked at. */
  readonly truncated: boolean;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  c: 'C',
  cc: 'C++',
  cpp: 'C++',
  cs: 'C#',
  dart: 'Dart',
  ex: 'Elixir',
  exs: 'Elixir',
  go: 'Go',
  h: 'C',
  hpp: 'C++',
  java: 'Java',
  js: 'JavaScript',
  jsx: 'JavaScript',
  kt: 'Kotlin',
  kts: 'Kotlin',
  lua: 'Lua',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  mts: 'TypeScript',
  php: 'PHP',
  py: 'Python',
  r: 'R',
  rb: 'Ruby',
  rs: 'Rust',
  scala: 'Scala',
  sh: 'Shell',
  sql: 'SQL',
  svelte: 'Svelte',
  swift: 'Swift',
  tf: 'Terraform',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  vue: 'Vue',
  zig: 'Zig',
};

/** A name, and the file at the root by which one knows. */
type Mark = readonly [name: string, file: RegExp];

const PACKAGE_MANAGERS: readonly Mark[] = [
  ['npm', /^package-lock\.json$/],
  ['pnpm', /^pnpm-lock\.yaml$/],
  ['yarn', /^yarn\.lock$/],
  ['bun', /^bun\.lockb?$/],
  ['uv', /^uv\.lock$/],
  ['poetry', /^poetry\.lock$/],
  ['pipenv', /^Pipfile$/],
  ['pip', /^requirements[\w.-]*\.txt$/],
  ['go', /^go\.mod$/],
  ['cargo', /^Cargo\.toml$/],
  ['bundler', /^Gemfile$/],
  ['composer', /^composer\.json$/],
  ['maven', /^pom\.xml$/],
  ['gradle', /^build\.gradle(\.kts)?$/],
];

const CI: readonly Mark[] = [
  ['GitHub Actions', /^\.github\/workflows\/[^/]+\.ya?ml$/],
  ['GitLab CI', /^\.gitlab-ci\.yml$/],
  ['CircleCI', /^\.circleci\/config\.yml$/],
  ['Jenkins', /^Jenkinsfile$/],
  ['Azure Pipelines', /^azure-pipelines\.yml$/],
];

const CONFIGS: readonly Mark[] = [
  ['pre-commit', /^\.pre-commit-config\.yaml$/],
  ['gitleaks', /^\.gitleaks\.toml$/],
  ['Dependabot', /^\.github\/dependabot\.ya?ml$/],
  ['Renovate', /^(\.github\/)?renovate\.json5?$/],
  ['EditorConfig', /^\.editorconfig$/],
  ['ESLint', /^(\.eslintrc[\w.]*|eslint\.config\.\w+)$/],
  ['Prettier', /^(\.prettierrc[\w.]*|prettier\.config\.\w+)$/],
  ['Biome', /^biome\.jsonc?$/],
  ['Ruff', /^\.?ruff\.toml$/],
  ['TypeScript', /^tsconfig(\.\w+)?\.json$/],
  ['Docker', /^(Dockerfile|(docker-)?compose[\w.-]*\.ya?ml)$/],
  ['dev container', /^\.devcontainer\//],
  ['MCP servers', /^\.mcp\.json$/],
  ['Thimble', /^thimble\.jsonc?$/],
];

const TEST_PACKAGES: Readonly<Record<string, string>> = {
  vitest: 'Vitest',
  jest: 'Jest',
  mocha: 'Mocha',
  ava: 'AVA',
  '@playwright/test': 'Playwright',
  cypress: 'Cypress',
  pytest: 'pytest',
  rspec: 'RSpec',
  'phpunit/phpunit': 'PHPUnit',
  junit: 'JUnit',
  'junit-jupiter': 'JUnit',
};

const TEST_FILES: readonly Mark[] = [
  ['go test', /_test\.go$/],
  ['pytest', /(^|\/)(conftest\.py|pytest\.ini)$/],
  ['JavaScript tests', /\.(test|spec)\.[cm]?[jt]sx?$/],
  ['cargo test', /^tests\/[^/]+\.rs$/],
];

const KEY_FILES =
  /^(README[\w.]*|AGENTS\.md|CLAUDE\.md|CONTRIBUTING\.md|ARCHITECTURE\.md|LICENSE[\w.]*|Makefile|justfile|package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?|Dockerfile|(docker-)?compose[\w.-]*\.ya?ml|\.mcp\.json|thimble\.jsonc?)$/i;

const MAX_KEY_FILES = 20;

/** Reads the project in a directory. */
export async function readProject(root: string, signal?: CancelSignal): Promise<ProjectFacts> {
  const files = await readProjectFiles(root, signal);
  const evidence = await readEvidence(files);
  const { paths, truncated } = files;
  return {
    path: root,
    languages: countLanguages(paths),
    findings: SIGNS.flatMap((sign) => toFinding(sign, files, evidence)),
    packageManagers: findMarks(PACKAGE_MANAGERS, paths),
    tests: findTests(paths, evidence),
    ci: findMarks(CI, paths),
    configs: findMarks(CONFIGS, paths),
    keyFiles: paths.filter((path) => KEY_FILES.test(path)).slice(0, MAX_KEY_FILES),
    truncated,
  };
}

function countLanguages(paths: readonly string[]): ProjectFacts['languages'] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
    const name = Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, count]) => ({ name, files: count }))
    .sort((a, b) => b.files - a.files || (a.name < b.name ? -1 : 1));
}

function findMarks(marks: readonly Mark[], paths: readonly string[]): readonly string[] {
  return marks.filter(([, file]) => paths.some((path) => file.test(path))).map(([name]) => name);
}

function findTests(paths: readonly string[], { packages }: Evidence): readonly string[] {
  const named = Object.entries(TEST_PACKAGES).flatMap(([name, title]) => (packages.has(name) ? [title] : []));
  const seen = findMarks(TEST_FILES, paths);
  // Tests of JavaScript are run by something that is named, if anything is.
  const hasRunner = named.length > 0;
  return [...new Set([...named, ...seen.filter((name) => !(hasRunner && name === 'JavaScript tests'))])];
}

/** The first and firmest reason counts. */
function toFinding(sign: Sign, { paths }: ProjectFiles, evidence: Evidence): readonly Finding[] {
  const because =
    findNamed(evidence.packages, (name) => (sign.packages ?? []).some((each) => isSame(each, name))) ??
    findNamed(evidence.images, (name) => (sign.images ?? []).includes(toImageName(name))) ??
    findFile(sign.files, paths) ??
    findNamed(evidence.variables, (name) => (sign.variables ?? []).some((start) => name.startsWith(start))) ??
    (isTelling(sign) ? findNamed(evidence.words, (word) => sign.words.includes(word)) : undefined);
  return because === undefined ? [] : [{ name: sign.name, is: sign.is, because, words: sign.words }];
}

/** A framework that is only spoken of is not used; a service may well be. */
function isTelling({ is, everyday }: Sign): boolean {
  return is === 'service' && !everyday;
}

function findNamed(named: ReadonlyMap<string, string>, isMeant: (name: string) => boolean) {
  for (const [name, file] of named) if (isMeant(name)) return `${name} in ${file}`;
  return undefined;
}

function findFile(pattern: RegExp | undefined, paths: readonly string[]): string | undefined {
  return pattern && paths.find((path) => pattern.test(path));
}

function isSame(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** `ghcr.io/org/postgres:16@sha256:…` is postgres. */
function toImageName(image: string): string {
  return (image.split('/').at(-1) ?? '').replace(/[:@].*$/, '');
}
