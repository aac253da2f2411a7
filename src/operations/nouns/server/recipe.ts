/** The ways in which a server can be run: packages of the registries we know, a program to download, or an address. */
import { GatewayError } from '../../../errors/gateway-error.ts';
import type {
  RegistryArgument,
  RegistryPackage,
  RegistryRemote,
  RegistryServer,
  RegistryVariable,
} from './registry/server-json.ts';

/** Where a server comes from. */
export type RecipeKind = 'npm' | 'pypi' | 'oci' | 'nuget' | 'binary' | 'remote';

/** One way to run a server. */
export interface Recipe {
  readonly kind: RecipeKind;
  /** What is run, exactly: a package with its version, an image with its tag, an address. */
  readonly target: string;
  readonly version: string | undefined;
  /** Variables of a program, or headers of an address. */
  readonly variables: readonly RegistryVariable[];
  readonly runtimeArguments: readonly RegistryArgument[];
  readonly packageArguments: readonly RegistryArgument[];
  /** What a downloaded file has to be, byte by byte. */
  readonly sha256?: string;
  readonly remote?: Pick<RegistryRemote, 'type' | 'variables'>;
}

/** The program each kind needs; the other kinds need none. */
export const RUNNERS: Readonly<Partial<Record<RecipeKind, string>>> = {
  npm: 'npx',
  pypi: 'uvx',
  oci: 'docker',
  nuget: 'dnx',
};

/** In the order in which they are preferred. */
export const KINDS: readonly RecipeKind[] = ['npm', 'pypi', 'oci', 'nuget', 'binary', 'remote'];

const KIND_OF_TYPE: Readonly<Record<string, RecipeKind>> = {
  npm: 'npm',
  pypi: 'pypi',
  oci: 'oci',
  nuget: 'nuget',
  mcpb: 'binary',
};

/** The registries packages may come from; anything else is none of theirs. */
const HOSTS: Readonly<Partial<Record<RecipeKind, RegExp>>> = {
  npm: /^https:\/\/registry\.npmjs\.org\/?$/,
  pypi: /^https:\/\/pypi\.org(\/simple)?\/?$/,
  nuget: /^https:\/\/api\.nuget\.org(\/v3\/index\.json)?\/?$/,
};

const NPM = /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;
const PYPI = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(\[[a-z0-9,._-]+\])?$/i;
const NUGET = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i;
const OCI =
  /^[a-z0-9][a-z0-9._/-]*(:\d{1,5}\/[a-z0-9._/-]+)?(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+_-]{0,99}$/;

/** Every way the registry offers that can be used here, the preferred first. */
export function toRecipes({ packages, remotes }: RegistryServer): readonly Recipe[] {
  const recipes = [...packages.flatMap(fromPackage), ...remotes.flatMap(fromRemote)];
  return recipes.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

/** Reads `npm:pkg`, `pypi:pkg`, `oci:image`, `nuget:pkg`, `binary:https://…#sha256=…`, an address, or `sse:` and one. */
export function parseFrom(from: string, version: string | undefined): Recipe {
  const [, scheme = '', rest = ''] = /^(npm|pypi|oci|docker|nuget|binary|sse):(.+)$/s.exec(from) ?? [];
  const isAddress = /^https?:\/\//i.test(from);
  if (version !== undefined && (isAddress || scheme === 'sse' || scheme === 'binary'))
    throw wrong('version: what an address leads to has no version to choose; leave it out');
  if (scheme === 'sse') return toRemote('sse', rest);
  if (isAddress) return toRemote('streamable-http', from);
  if (scheme === 'binary') return toBinary(rest);
  const kind = scheme === 'docker' ? 'oci' : (KINDS.find((known) => known === scheme) ?? undefined);
  if (kind === undefined)
    throw wrong(
      `from: is none of npm:<package>, pypi:<package>, oci:<image>, nuget:<package>, binary:https://<file>#sha256=<hex>, https://<address>, sse:https://<address>`,
    );
  const given = kind === 'oci' ? { identifier: rest, version: undefined } : splitVersion(rest);
  const target = toTarget(kind, given.identifier, version ?? given.version);
  if (target === undefined) throw wrong(`from: does not name a ${kind} package that can be run`);
  const run = kind === 'oci' ? toTag(target) : (given.version ?? version);
  if (version !== undefined && run !== version)
    throw wrong(`version: ${rest} says already which version is meant; leave one of the two out`);
  return { ...NOTHING, kind, target, version: run };
}

const NOTHING = { variables: [], runtimeArguments: [], packageArguments: [] } as const;

function fromPackage(given: RegistryPackage): readonly Recipe[] {
  const kind = Object.hasOwn(KIND_OF_TYPE, given.registryType) ? KIND_OF_TYPE[given.registryType] : undefined;
  if (kind === undefined || given.transport.type !== 'stdio') return [];
  const host = HOSTS[kind];
  if (host && given.registryBaseUrl !== undefined && !host.test(given.registryBaseUrl)) return [];
  const { environmentVariables: variables, runtimeArguments, packageArguments, version } = given;
  const common = { kind, version, variables, runtimeArguments, packageArguments };
  if (kind === 'binary') {
    if (!isSafeUrl(given.identifier) || given.fileSha256 === undefined) return [];
    return [{ ...common, target: given.identifier, sha256: given.fileSha256.toLowerCase() }];
  }
  const target = toTarget(kind, given.identifier, version);
  if (target === undefined) return [];
  // An image may be named with a tag, which is then what is run.
  return [{ ...common, target, version: kind === 'oci' ? (toTag(target) ?? version) : version }];
}

function fromRemote({ type, url, headers, variables }: RegistryRemote): readonly Recipe[] {
  if (!/^https?:\/\//i.test(url)) return [];
  const remote = { type, ...(variables && { variables }) };
  return [{ ...NOTHING, kind: 'remote', target: url, version: undefined, variables: headers, remote }];
}

/** What the runner is given; undefined when it could be taken for an option, a path or an address. */
function toTarget(kind: RecipeKind, identifier: string, version: string | undefined): string | undefined {
  if (version !== undefined && !VERSION.test(version)) return undefined;
  if (kind === 'npm') return NPM.test(identifier) ? join(identifier, '@', version) : undefined;
  if (kind === 'nuget') return NUGET.test(identifier) ? join(identifier, '@', version) : undefined;
  if (kind === 'pypi') return PYPI.test(identifier) ? join(identifier, '==', version) : undefined;
  if (kind !== 'oci' || !OCI.test(identifier)) return undefined;
  return /[:@][^/]*$/.test(identifier) ? identifier : join(identifier, ':', version);
}

function join(name: string, by: string, version: string | undefined): string {
  return version === undefined ? name : `${name}${by}${version}`;
}

/** The tag of an image; a port stands before a slash. */
function toTag(image: string): string | undefined {
  return /:([^/:@]+)(@[^/]*)?$/.exec(image)?.[1];
}

function splitVersion(text: string): { readonly identifier: string; readonly version: string | undefined } {
  const [, identifier = text, version] = /^(@?[^@=]+)(?:@|==)([^@=]+)$/.exec(text) ?? [];
  return { identifier, version };
}

function toRemote(type: RegistryRemote['type'], url: string): Recipe {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw wrong('from: is no address that begins with https:// or http://');
  return { ...NOTHING, kind: 'remote', target: url, version: undefined, remote: { type } };
}

function toBinary(text: string): Recipe {
  const [, url = '', sha256 = ''] = /^(https:[^#]+)#sha256=([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (!isSafeUrl(url))
    throw wrong('from: a program to download is written binary:https://<file>#sha256=<64 hex digits>');
  return { ...NOTHING, kind: 'binary', target: url, version: undefined, sha256: sha256.toLowerCase() };
}

function isSafeUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}

function wrong(problem: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `server install was not run. ${problem}`);
}
