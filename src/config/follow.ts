/** Follows the configuration of a running gateway: edits of its file, or the first file to appear. */
import type { Clock } from '../lib/clock.ts';
import type { Config } from './config.ts';
import { type ConfigPlaces, findConfig, type LoadedConfig, readConfig, toCandidates } from './load.ts';
import { createDefaultConfig } from './parse.ts';
import { createReload } from './reload.ts';
import type { ConfigParts } from './schema.ts';
import { watchConfig } from './watch.ts';

/** What is followed and who is told. */
export interface FollowOptions {
  /** The configuration the gateway was started with. */
  readonly loaded: LoadedConfig;
  readonly places: ConfigPlaces;
  readonly parts: ConfigParts;
  /** Called with each changed configuration, its file, and the changed settings that only a restart takes over. */
  onConfig(config: Config, path: string, pending: readonly string[]): Promise<void>;
  /** Called with the reason when a file cannot be used and the last good configuration stays. */
  onRejected(path: string, reason: string): void;
  readonly clock?: Clock;
}

/** What a running gateway is built on and cannot change. */
export const FIXED: Readonly<Record<string, (config: Config) => string | number | boolean>> = {
  'http.host': ({ http }) => http.host,
  'http.port': ({ http }) => http.port,
  'exposure.search.learn': ({ exposure }) => exposure.search.learn,
  namespace: ({ namespace }) => namespace,
};

/** Starts to follow; returns what ends it. */
export function followConfig(options: FollowOptions): () => void {
  const { loaded, places, parts, clock } = options;
  let path = loaded.path;
  let closed = false;
  let closers: (() => void)[] = [];
  const stop = () => {
    for (const close of closers.splice(0)) close();
  };
  const watchAll = (paths: readonly string[]) => {
    stop();
    if (!closed) closers = paths.map((each) => watchConfig(each, () => void reload(), clock));
  };
  const read = async () => {
    if (path === undefined) {
      path = await findConfig(places);
      if (path === undefined) return createDefaultConfig(parts);
      // The first file that appears stays the one; it is watched before it is read, so no edit is missed.
      watchAll([path]);
    }
    return readConfig(path, parts);
  };
  const reload = createReload(loaded.config, {
    read,
    onConfig: (config) => options.onConfig(config, path ?? places.cwd, toPending(loaded.config, config)),
    onRejected: (reason) => options.onRejected(path ?? places.cwd, reason),
  });
  watchAll(path === undefined ? toCandidates(places) : [path]);
  return () => {
    closed = true;
    stop();
  };
}

function toPending(running: Config, wanted: Config): string[] {
  return Object.entries(FIXED)
    .filter(([, settingOf]) => settingOf(running) !== settingOf(wanted))
    .map(([setting]) => setting);
}
