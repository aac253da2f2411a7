/** What a registry says about one server: the `server.json` format, read with care, since anybody may have written it. */
import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../model/json.ts';

const text = (max: number) => z.string().max(max);
const optionalText = (max: number) => text(max).optional().catch(undefined);

const INPUT = z.object({
  description: optionalText(2_000),
  isRequired: z.boolean().default(false).catch(false),
  isSecret: z.boolean().default(false).catch(false),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).default('string').catch('string'),
  value: text(4_000).optional(),
  default: z.coerce.string().max(4_000).optional().catch(undefined),
  choices: z.array(text(500)).max(200).optional().catch(undefined),
});

const WITH_VARIABLES = INPUT.extend({
  variables: z.record(text(200), INPUT).optional(),
});

const NAMED_INPUT = WITH_VARIABLES.extend({ name: text(200).min(1) });

const ARGUMENT = WITH_VARIABLES.extend({
  type: z.enum(['positional', 'named']),
  name: text(200).optional(),
  valueHint: text(200).optional(),
  isRepeated: z.boolean().default(false).catch(false),
});

const TRANSPORT = z.object({ type: text(40), url: text(2_000).optional() });

const PACKAGE = z.object({
  registryType: text(40),
  registryBaseUrl: text(500).optional(),
  identifier: text(1_000).min(1),
  version: text(255).optional(),
  transport: TRANSPORT.default({ type: 'stdio' }),
  fileSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .optional(),
  runtimeArguments: z.array(ARGUMENT).max(100).default([]),
  packageArguments: z.array(ARGUMENT).max(200).default([]),
  environmentVariables: z.array(NAMED_INPUT).max(200).default([]),
});

const REMOTE = z.object({
  type: z.enum(['streamable-http', 'sse']),
  url: text(2_000).min(1),
  headers: z.array(NAMED_INPUT).max(100).default([]),
  variables: z.record(text(200), INPUT).optional(),
});

const SERVER = z.object({
  name: z.string().regex(/^[a-zA-Z0-9.-]{1,120}\/[a-zA-Z0-9._-]{1,120}$/),
  title: optionalText(200),
  description: text(4_000).default('').catch(''),
  version: text(255).min(1),
  repository: z
    .object({ url: text(1_000) })
    .optional()
    .catch(undefined),
  packages: z.array(z.unknown()).max(50).default([]).catch([]),
  remotes: z.array(z.unknown()).max(50).default([]).catch([]),
});

/** A value a server is given: by the person, or by default. */
export type RegistryInput = z.output<typeof INPUT>;

/** A variable or header with its name. */
export type RegistryVariable = z.output<typeof NAMED_INPUT>;

/** One argument of a program. */
export type RegistryArgument = z.output<typeof ARGUMENT>;

/** A package that can be run. */
export type RegistryPackage = z.output<typeof PACKAGE>;

/** A server that runs elsewhere. */
export type RegistryRemote = z.output<typeof REMOTE>;

/** One server of the registry, in one version. */
export interface RegistryServer extends Omit<z.output<typeof SERVER>, 'packages' | 'remotes' | 'repository'> {
  readonly repository: string | undefined;
  readonly packages: readonly RegistryPackage[];
  readonly remotes: readonly RegistryRemote[];
  readonly status: 'active' | 'deprecated' | 'deleted';
}

/** Spellings of the format's first versions, which mirrors still hold. */
const FORMER: Readonly<Record<string, string>> = {
  registry_type: 'registryType',
  registry_base_url: 'registryBaseUrl',
  runtime_arguments: 'runtimeArguments',
  package_arguments: 'packageArguments',
  environment_variables: 'environmentVariables',
  file_sha256: 'fileSha256',
  is_required: 'isRequired',
  is_secret: 'isSecret',
  is_repeated: 'isRepeated',
  value_hint: 'valueHint',
  transport_type: 'type',
};

/** Reads one server, bare or in the wrapping of the API; undefined when it is none. What is odd in it is left out. */
export function parseServer(value: unknown): RegistryServer | undefined {
  if (!isJsonObject(value)) return undefined;
  const inner = isJsonObject(value['server']) ? value['server'] : value;
  const modern = toPresent(inner) as JsonObject;
  const detail = modern['version_detail'];
  const parsed = SERVER.safeParse(isJsonObject(detail) ? { ...modern, version: detail['version'] } : modern);
  if (!parsed.success) return undefined;
  const { packages, remotes, repository, ...rest } = parsed.data;
  return {
    ...rest,
    repository: repository?.url,
    packages: packages.flatMap((item) => PACKAGE.safeParse(item).data ?? []),
    remotes: remotes.flatMap((item) => REMOTE.safeParse(item).data ?? []),
    status: toStatus(value, modern),
  };
}

/** The last part of a registry name, by which people know a server. */
export function toShortName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function toStatus(wrapping: JsonObject, server: JsonObject): RegistryServer['status'] {
  const meta = wrapping['_meta'];
  const official = isJsonObject(meta) ? meta['io.modelcontextprotocol.registry/official'] : undefined;
  const said = isJsonObject(official) ? official['status'] : server['status'];
  return said === 'deprecated' || said === 'deleted' ? said : 'active';
}

/** Renames the members of the format, never the names people chose inside `variables`. */
function toPresent(value: JsonValue | undefined, depth = 0): JsonValue | undefined {
  if (depth > 8) return undefined;
  if (Array.isArray(value)) return value.map((item: JsonValue) => toPresent(item, depth + 1) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = Object.hasOwn(FORMER, key) ? (FORMER[key] ?? key) : key;
      if (key !== 'variables' || !isJsonObject(member)) return [name, toPresent(member, depth + 1)];
      const inner = Object.entries(member).map(([variable, input]) => [
        variable,
        toPresent(input, depth + 1),
      ]);
      return [name, Object.fromEntries(inner)];
    }),
  );
}
