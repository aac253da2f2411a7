/** What the environment says wins over the configuration; what neither can mean is refused. */
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Config } from './config.ts';
import type { Environment } from './environment.ts';

/** Applies the variables that change the configuration; throws CONFIG_INVALID for a default server that is not there. */
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
  checkMode(next);
  checkDefault(next, server === undefined ? 'exposure.activate.default' : 'THIMBLE_DEFAULT_SERVER');
  return next;
}

/** Clients would be told to use the very address they use. */
function checkMode(config: Config): void {
  const { mode } = config.exposure;
  if (!toModesOff(config).has(mode)) return;
  throw new GatewayError(
    'CONFIG_INVALID',
    `exposure.mode is "${mode}", which is switched off by exposure.category.enabled or THIMBLE_DISABLE_ROUTER; choose another mode, or switch it on`,
  );
}

/** A server that is not there would be replaced by another without a word. */
function checkDefault({ exposure, upstreams }: Config, setting: string): void {
  const wanted = exposure.activate.default;
  const enabled = upstreams.filter((upstream) => upstream.enabled);
  if (wanted === undefined || enabled.some(({ id, name }) => id === wanted || name === wanted)) return;
  const ids = enabled.map(({ id }) => id);
  const known = ids.length === 0 ? 'no server is configured' : `the servers are ${ids.join(', ')}`;
  throw new GatewayError(
    'CONFIG_INVALID',
    `${setting} names "${wanted}", but no server is called so${didYouMean(wanted, ids)}; ${known}`,
  );
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
