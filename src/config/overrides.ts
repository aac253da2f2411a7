/** What the environment says wins over the configuration; what neither can mean is refused. */
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Config } from './config.ts';
import type { Environment } from './environment.ts';
import { type Fault, toPathText } from './faults.ts';
import type { JsonPath } from './jsonc.ts';

const DEFAULT_PATH: JsonPath = ['exposure', 'activate', 'default'];

/** Applies the variables that change the configuration; throws CONFIG_INVALID when it does not fit them. */
export function withOverrides(config: Config, env: Environment): Config {
  const { category, activate } = config.exposure;
  const isOff = env['THIMBLE_DISABLE_ROUTER'] === '1';
  const server = env['THIMBLE_DEFAULT_SERVER'] || undefined;
  const next: Config = {
    ...config,
    exposure: {
      ...config.exposure,
      category: { ...category, enabled: category.enabled && !isOff },
      activate: { ...activate, default: server ?? activate.default },
    },
  };
  // What a file says was checked when it was read; the variables, and what a program hands over, were not.
  const [fault] = findContradictions(next);
  if (!fault) return next;
  const isOurs = fault.path === DEFAULT_PATH && server !== undefined;
  const setting = isOurs ? 'THIMBLE_DEFAULT_SERVER' : toPathText(fault.path);
  throw new GatewayError('CONFIG_INVALID', `${setting} ${fault.problem}`);
}

/** Where the sections of a configuration contradict one another, each of them being right by itself. */
export function findContradictions(config: Config): readonly Fault[] {
  const { mode } = config.exposure;
  const faults: Fault[] = [];
  if (toModesOff(config).has(mode)) faults.push({ path: ['exposure', 'mode'], problem: toModeProblem(mode) });
  const problem = toDefaultProblem(config);
  if (problem !== undefined) faults.push({ path: DEFAULT_PATH, problem });
  return faults;
}

/** Clients would be told to use the very address they use. */
function toModeProblem(mode: string): string {
  return `names "${mode}", which is switched off by exposure.category.enabled or THIMBLE_DISABLE_ROUTER; choose another mode, or switch it on`;
}

/** A server that is not there would be replaced by another without a word. */
function toDefaultProblem({ exposure, upstreams }: Config): string | undefined {
  const wanted = exposure.activate.default;
  if (wanted === undefined) return undefined;
  const meant = upstreams.filter(({ id, name }) => id === wanted || name === wanted);
  if (meant.some(({ enabled }) => enabled)) return undefined;
  if (meant.length > 0) return `names "${wanted}", which is switched off; name another, or switch it on`;
  const ids = upstreams.filter(({ enabled }) => enabled).map(({ id }) => id);
  const known = ids.length === 0 ? 'no server is configured' : `the servers are ${ids.join(', ')}`;
  return `names "${wanted}", but no server is called so${didYouMean(wanted, ids)}; ${known}`;
}

/** Modes that are switched off, each with the sentence a client gets at its address. */
export function toModesOff({ exposure }: Config): ReadonlyMap<string, string> {
  if (exposure.category.enabled) return new Map();
  const sentence = (address: string) =>
    `${address} is switched off by exposure.category.enabled or THIMBLE_DISABLE_ROUTER; use /mcp, another mode, or /s/<upstream>/mcp`;
  return new Map([
    ['category', sentence('/mcp/category')],
    ['router', sentence('/router/mcp')],
  ]);
}
