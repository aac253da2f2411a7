/** What the files of a project name: packages, images, variables and words, each with the file it stands in. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { ProjectFiles } from './files.ts';

/** Names, each with the file that has it. */
export type Named = ReadonlyMap<string, string>;

/** Everything that was named. */
export interface Evidence {
  readonly packages: Named;
  readonly images: Named;
  /** The names of variables in .env files; their values are not looked at. */
  readonly variables: Named;
  /** Words of the pipeline and of the README, in lower case. */
  readonly words: Named;
}

type Reader = (text: string) => readonly string[] | Promise<readonly string[]>;

interface Source {
  readonly matches: RegExp;
  readonly into: keyof Evidence;
  readonly read: Reader;
}

/** Which files name what; a file may be of several. */
const SOURCES: readonly Source[] = [
  { matches: /(^|\/)package\.json$/, into: 'packages', read: fromPackageJson },
  { matches: /(^|\/)composer\.json$/, into: 'packages', read: fromComposer },
  { matches: /(^|\/)(pyproject|Cargo)\.toml$/, into: 'packages', read: fromToml },
  {
    matches: /(^|\/)requirements[\w.-]*\.txt$/,
    into: 'packages',
    read: (text) => text.split('\n').map(toBareName),
  },
  {
    matches: /(^|\/)go\.mod$/,
    into: 'packages',
    read: (text) => all(text, /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+v/gm),
  },
  { matches: /(^|\/)Gemfile$/, into: 'packages', read: (text) => all(text, /^\s*gem\s+['"]([^'"]+)/gm) },
  { matches: /(^|\/)pom\.xml$/, into: 'packages', read: (text) => all(text, /<artifactId>([^<]+)</g) },
  {
    matches: /(^|\/)build\.gradle(\.kts)?$/,
    into: 'packages',
    read: (text) => all(text, /['"][\w.-]+:([\w.-]+):/g),
  },
  {
    matches: /(^|\/)(docker-)?compose[\w.-]*\.ya?ml$/,
    into: 'images',
    read: (text) => all(text, /^\s*image:\s*["']?([^\s"'#]+)/gm),
  },
  {
    matches: /(^|\/)Dockerfile[\w.-]*$/,
    into: 'images',
    read: (text) => all(text, /^\s*FROM\s+(?:--\S+\s+)?(\S+)/gim),
  },
  {
    matches: /(^|\/)\.env(\.[\w.-]+)?$/,
    into: 'variables',
    read: (text) => all(text, /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm),
  },
  {
    matches: /^\.github\/workflows\/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^\.circleci\/config\.yml$/,
    into: 'words',
    read: toWords,
  },
  { matches: /^readme(\.\w+)?$/i, into: 'words', read: toWords },
];

/** A workspace may have hundreds of packages; the first ones say what it is made of. */
const MAX_FILES_EACH = 30;
const MAX_NAMES = 2_000;

/** Reads what a project names. */
export async function readEvidence(files: ProjectFiles): Promise<Evidence> {
  const found = { packages: new Map(), images: new Map(), variables: new Map(), words: new Map() } as Record<
    keyof Evidence,
    Map<string, string>
  >;
  for (const { matches, into, read } of SOURCES) {
    for (const path of files.paths.filter((each) => matches.test(each)).slice(0, MAX_FILES_EACH)) {
      const names = found[into];
      for (const name of await readNames(await files.read(path), read)) {
        if (name !== '' && !names.has(name) && names.size < MAX_NAMES) names.set(name, path);
      }
    }
  }
  return found;
}

/** A file that is not what its name says names nothing. */
async function readNames(text: string | undefined, read: Reader): Promise<readonly string[]> {
  if (text === undefined) return [];
  try {
    return await read(text);
  } catch {
    return [];
  }
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function toWords(text: string): string[] {
  return all(text.toLowerCase(), /([a-z][a-z0-9+#.-]*[a-z0-9+#])/g);
}

function fromPackageJson(text: string): readonly string[] {
  return fromMembers(JSON.parse(text), ['dependencies', 'devDependencies', 'peerDependencies']);
}

function fromComposer(text: string): readonly string[] {
  return fromMembers(JSON.parse(text), ['require', 'require-dev']);
}

function fromMembers(value: unknown, members: readonly string[]): readonly string[] {
  return isJsonObject(value) ? members.flatMap((member) => keysOf(value[member])) : [];
}

async function fromToml(text: string): Promise<readonly string[]> {
  const { parse } = await import('smol-toml');
  const value = parse(text) as Readonly<Record<string, JsonValue>>;
  const { project, tool, workspace } = value;
  const poetry = isJsonObject(tool) && isJsonObject(tool['poetry']) ? tool['poetry'] : {};
  const listed = isJsonObject(project)
    ? [project['dependencies'], ...Object.values(toObject(project['optional-dependencies']))]
    : [];
  const groups = Object.values(toObject(value['dependency-groups']));
  return [
    ...fromMembers(value, ['dependencies', 'dev-dependencies', 'build-dependencies']),
    ...fromMembers(workspace, ['dependencies']),
    ...keysOf(poetry['dependencies']).map(toBareName),
    ...[...listed, ...groups].flatMap((list) => (Array.isArray(list) ? list : [])).map(toBareName),
  ];
}

function toObject(value: JsonValue | undefined): Readonly<Record<string, JsonValue | undefined>> {
  return isJsonObject(value) ? value : {};
}

function keysOf(value: JsonValue | undefined): readonly string[] {
  return Object.keys(toObject(value));
}

/** `Django[argon2]>=4; python_version > "3.8"` is Django, which is django. */
function toBareName(requirement: unknown): string {
  const [, name = ''] = /^\s*([A-Za-z0-9][\w.-]*)/.exec(String(requirement)) ?? [];
  return name.toLowerCase().replaceAll('_', '-');
}
