/** What people may write: the gateway's own sections, and what every server entry has in common. */
import * as z from 'zod';
import { EXPOSURE_OPTIONS } from '../exposure/options.ts';
import { DEFAULT_LIMITS } from '../upstream/limits.ts';
import type { Connector } from '../upstream/upstream.ts';
import { type ConfigurableBuiltin, createBuiltinSchema } from './builtin-servers.ts';
import { CONFIG_DEFAULTS, MAX_TIMEOUT_MS, UPSTREAM_DEFAULTS } from './config.ts';

/** The plug-ins whose names and options the configuration may use. */
export interface ConfigParts {
  readonly connectors: readonly Connector[];
  /** The names of the exposure modes. */
  readonly modes: readonly string[];
  readonly builtins: readonly ConfigurableBuiltin[];
}

/** One server as people write it: what all have in common, and the options of its connector. */
type ServerInput = z.input<typeof COMMON_OPTIONS> & {
  readonly type?: string;
  readonly [option: string]: unknown;
};

/** A configuration as people write it, for programs that hand one over as a value. */
export type ConfigInput = Omit<z.input<ReturnType<typeof createSectionsSchema>>, 'mcpServers'> & {
  readonly mcpServers?: Readonly<Record<string, ServerInput>>;
};

/** Spellings of a connector's kind that clients write. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
};

/** Kinds only a program that hosts servers itself can use: accepted, but not offered to people. */
const UNOFFERED: ReadonlySet<string> = new Set(['builtin']);

const milliseconds = () => z.int().min(1).max(MAX_TIMEOUT_MS);

/** What every server entry may say, whatever reaches the server. */
export const COMMON_OPTIONS = z.object({
  tags: z
    .array(z.string().min(1))
    .default([...UPSTREAM_DEFAULTS.tags])
    .describe('Tags of this server; a profile is a tag.'),
  enabled: z.boolean().default(UPSTREAM_DEFAULTS.enabled).describe('False disables this server.'),
  disabled: z.boolean().default(false).describe('True disables this server, as some clients write it.'),
  timeout: milliseconds()
    .default(UPSTREAM_DEFAULTS.timeoutMs)
    .describe('How long a call may stay silent, in milliseconds.'),
  startTimeout: milliseconds()
    .default(UPSTREAM_DEFAULTS.startTimeoutMs)
    .describe('How long the server may take to start and answer, in milliseconds.'),
  era: z
    .enum(['auto', 'legacy', 'modern'])
    .default('auto')
    .describe('Which protocol era to speak with this server; auto finds out.'),
  interactive: z
    .enum(['shared', 'per-session', 'off'])
    .default(UPSTREAM_DEFAULTS.interactive)
    .describe(
      'Who shares one instance when the server asks back: all, each session its own, or nobody is asked.',
    ),
  disabledTools: z
    .array(z.string().min(1))
    .optional()
    .describe("Tools of this server that are disabled, by the server's own names."),
  toolTimeouts: z
    .record(z.string().min(1), milliseconds())
    .optional()
    .describe("How long calls of single tools may stay silent, in milliseconds, by the server's own names."),
  idleStop: z
    .int()
    .min(0)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(
      'After how long without use its program is ended, in milliseconds; 10 minutes unless told, 0 never.',
    ),
  maxInFlight: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(`How many requests it is sent at once; ${DEFAULT_LIMITS.maxInFlight} unless told.`),
  maxQueue: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe(`How many more requests may wait for it; ${DEFAULT_LIMITS.maxQueue} unless told.`),
  memoryLimit: z
    .int()
    .min(0)
    .max(1_048_576)
    .optional()
    .describe('How many megabytes its program may take before it is restarted; no limit unless told.'),
});

/** The gateway's own sections; `mcpServers` is checked entry by entry. */
export function createSectionsSchema({ modes, builtins }: Pick<ConfigParts, 'modes' | 'builtins'>) {
  const { http, names } = CONFIG_DEFAULTS;
  return z.strictObject({
    $schema: z.string().optional().describe('The JSON Schema of this file, for editors.'),
    mcpServers: z.unknown().optional().describe('The MCP servers behind the gateway, by name.'),
    namespace: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,15}$/, {
        error: 'expected a letter and up to 15 letters, digits or hyphens',
      })
      .default(CONFIG_DEFAULTS.namespace)
      .describe("The prefix of the gateway's own tools, such as <prefix>_discover."),
    http: z
      .strictObject({
        host: z.string().min(1).default(http.host).describe('The address to listen on.'),
        port: z.int().min(0).max(65_535).default(http.port).describe('The port to listen on; 0 takes any.'),
      })
      .default({ ...http })
      .describe('Where the gateway listens.'),
    exposure: z
      .strictObject({
        mode: z.enum(modes).default(CONFIG_DEFAULTS.exposure.mode).describe('The exposure mode at /mcp.'),
        ...EXPOSURE_OPTIONS,
      })
      .prefault({})
      .describe('What clients are shown.'),
    names: z
      .strictObject({
        maxLength: z
          .int()
          .min(16)
          .max(128)
          .default(names.maxLength)
          .describe('The longest public tool name.'),
      })
      .default({ ...names })
      .describe('How tools are named.'),
    builtin: createBuiltinSchema(builtins),
    manage: z
      .strictObject({
        enabled: z
          .boolean()
          .default(CONFIG_DEFAULTS.manage.enabled)
          .describe('False hides the management tools.'),
      })
      .default({ ...CONFIG_DEFAULTS.manage })
      .describe('The tools with which agents manage servers, profiles, clients and settings.'),
  });
}

/** The kinds an entry's `type` may name, each with the connector it means. */
export function toTypes(connectors: readonly Connector[]): ReadonlyMap<string, Connector> {
  const types = new Map(connectors.map((connector) => [connector.kind, connector]));
  for (const [alias, kind] of Object.entries(TYPE_ALIASES)) {
    const connector = types.get(kind);
    if (connector && !types.has(alias)) types.set(alias, connector);
  }
  return types;
}

/** The connectors that are named to people. */
export function toOffered(connectors: readonly Connector[]): readonly Connector[] {
  return connectors.filter(({ kind }) => !UNOFFERED.has(kind));
}

/** The options a connector cannot do without. */
export function toRequired(connector: Connector): readonly string[] {
  return Object.entries(connector.options.shape)
    .filter(([, option]) => !z.safeParse(option, undefined).success)
    .map(([key]) => key);
}
