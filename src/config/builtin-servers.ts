/** The servers inside the gateway as upstreams: on unless the configuration says otherwise. */
import * as z from 'zod';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { VERSION } from '../model/version.ts';
import type { UpstreamConfig } from '../upstream/upstream.ts';
import { type Config, UPSTREAM_DEFAULTS } from './config.ts';

/** A built-in server as the configuration sees it. */
export interface ConfigurableBuiltin {
  readonly name: string;
  readonly summary: string;
  /** Its own options, where it has some. */
  readonly options?: z.ZodObject;
}

/** What the configuration says about the built-in servers. */
export type BuiltinChoice = boolean | Readonly<Record<string, unknown>>;

const COMMON = {
  enabled: z.boolean().default(true).describe('False disables this server.'),
  tags: z.array(z.string().min(1)).default([]).describe('Tags of this server; a profile is a tag.'),
  disabledTools: z.array(z.string().min(1)).optional().describe('Tools of this server that are disabled.'),
};

/** The schema of the section: all on or off, or each by name, with its options. */
export function createBuiltinSchema(builtins: readonly ConfigurableBuiltin[]) {
  const each = Object.fromEntries(
    builtins.map(({ name, summary, options }) => [
      name,
      z
        .union([z.boolean(), z.strictObject({ ...COMMON, ...options?.shape })], {
          error: 'expected true, false, or an object with the options of this server',
        })
        .optional()
        .describe(summary),
    ]),
  );
  return z
    .union([z.boolean(), z.strictObject(each)], {
      error: 'expected true, false, or an object with true, false or options for each server',
    })
    .default(true)
    .describe('The built-in servers: all on or off, or each by name.');
}

/** The built-in servers that are on. */
export function toBuiltinUpstreams(
  choice: BuiltinChoice,
  builtins: readonly ConfigurableBuiltin[],
): readonly UpstreamConfig[] {
  return builtins.flatMap(({ name }) => {
    const { enabled = true, tags = [], disabledTools = [], ...options } = toOptions(choice, name);
    if (!enabled) return [];
    return [{ ...toUpstream(name, tags, options), ...(disabledTools.length > 0 && { disabledTools }) }];
  });
}

/** Those that are off and keep tags: a profile may consist of them. */
export function toBuiltinsOff(
  choice: BuiltinChoice,
  builtins: readonly ConfigurableBuiltin[],
): NonNullable<Config['builtinsOff']> {
  return builtins.flatMap(({ name }) => {
    const { enabled = true, tags = [] } = toOptions(choice, name);
    return enabled || tags.length === 0 ? [] : [{ name, tags }];
  });
}

function toOptions(choice: BuiltinChoice, name: string): BuiltinOptions {
  const chosen = typeof choice === 'boolean' ? choice : (choice[name] ?? true);
  return typeof chosen === 'boolean' ? { enabled: chosen } : (chosen as BuiltinOptions);
}

/** The id of the server through which agents manage the gateway. */
export const MANAGE = 'manage';

/** The configuration with that server, where somebody hosts it and nobody switched it off. */
export function withManage(config: Config, isHosted: boolean): Config {
  if (!isHosted || !config.manage.enabled) return config;
  const { namespace, upstreams } = config;
  const manage: UpstreamConfig = { ...toUpstream(MANAGE, [], { namespace }), core: false, aside: true };
  return { ...config, upstreams: [...upstreams, manage].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

interface BuiltinOptions extends JsonObject {
  readonly enabled?: boolean;
  readonly tags?: readonly string[];
  readonly disabledTools?: readonly string[];
}

/** The version is part of what makes an instance, so that a new Thimble is asked anew what it offers. */
function toUpstream(name: string, tags: readonly string[], options: JsonObject): UpstreamConfig {
  return {
    ...UPSTREAM_DEFAULTS,
    id: name as UpstreamId,
    name,
    kind: 'builtin',
    // The older era's results carry nothing but what the tool said.
    era: 'legacy',
    options: { server: name, version: VERSION, options },
    tags,
    core: true,
  };
}
