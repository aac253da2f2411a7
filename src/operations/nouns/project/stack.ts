/** The files a project is set up with, by the kind of project. */

/** The kinds of project there are files for. */
export const PROJECT_TYPES = ['node', 'typescript', 'python', 'go', 'rust'] as const;

/** One of them; undefined for a project of no kind that is known. */
export type ProjectType = (typeof PROJECT_TYPES)[number] | undefined;

/** One file to write. */
export interface StackFile {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

const IGNORED_BY_ALL = ['.DS_Store', '*.log', '.env', '.env.*', '!.env.example', '.idea/', '*.swp'];

const NODE_IGNORED = ['node_modules/', 'dist/', 'coverage/', '*.tsbuildinfo'];

const IGNORED: Readonly<Record<NonNullable<ProjectType>, readonly string[]>> = {
  node: NODE_IGNORED,
  typescript: NODE_IGNORED,
  python: [
    '__pycache__/',
    '*.py[cod]',
    '.venv/',
    'dist/',
    '*.egg-info/',
    '.pytest_cache/',
    '.ruff_cache/',
    '.coverage',
  ],
  go: ['bin/', '*.test', '*.out', 'vendor/'],
  rust: ['target/'],
};

const HYGIENE = `repos:
  - repo: https://github.com/pre-commit/pre-commit-hooks
    rev: v5.0.0
    hooks:
      - id: check-added-large-files
      - id: check-merge-conflict
      - id: check-yaml
      - id: detect-private-key
      - id: end-of-file-fixer
      - id: trailing-whitespace
  - repo: https://github.com/gitleaks/gitleaks
    rev: v8.21.2
    hooks:
      - id: gitleaks
`;

const PRETTIER = `  - repo: local
    hooks:
      - id: prettier
        name: prettier
        entry: prettier --write --ignore-unknown
        language: node
        additional_dependencies: ['prettier@3.4.2']
        types: [text]
`;

const HOOKS: Readonly<Record<NonNullable<ProjectType>, string>> = {
  node: PRETTIER,
  typescript: PRETTIER,
  python: `  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.8.6
    hooks:
      - id: ruff
        args: [--fix]
      - id: ruff-format
`,
  go: `  - repo: local
    hooks:
      - id: gofmt
        name: gofmt
        entry: gofmt -l -w
        language: system
        types: [go]
`,
  rust: `  - repo: local
    hooks:
      - id: cargo-fmt
        name: cargo fmt
        entry: cargo fmt
        language: system
        types: [rust]
        pass_filenames: false
`,
};

const NODE_STEPS = `      - uses: actions/setup-node@v4
        with:
          node-version: lts/*
      - run: npm ci
      - run: npm test --if-present
`;

const STEPS: Readonly<Record<NonNullable<ProjectType>, string>> = {
  node: NODE_STEPS,
  typescript: `${NODE_STEPS}      - run: npx --no-install tsc --noEmit
`,
  python: `      - uses: actions/setup-python@v5
        with:
          python-version: '3.x'
      - run: pip install -e . pytest
      - run: pytest
`,
  go: `      - uses: actions/setup-go@v5
        with:
          go-version-file: go.mod
      - run: go vet ./...
      - run: go test ./...
`,
  rust: `      - run: cargo test --all
`,
};

/** Where the pipeline goes. */
export const CI_PATH = '.github/workflows/ci.yml';

/** The files for a kind of project; the pipeline only when it is wanted, and only where there is something to run. */
export function toStack(type: ProjectType, ci: boolean): readonly StackFile[] {
  const ignored = [...IGNORED_BY_ALL, ...(type ? IGNORED[type] : [])];
  const files: StackFile[] = [
    { path: '.gitignore', text: `${ignored.join('\n')}\n` },
    { path: '.pre-commit-config.yaml', text: `${HYGIENE}${type ? HOOKS[type] : ''}` },
  ];
  if (ci && type) files.push({ path: CI_PATH, text: toPipeline(STEPS[type]) });
  return files;
}

function toPipeline(steps: string): string {
  return `name: ci
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
${steps}`;
}
