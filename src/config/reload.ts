/** Reads the configuration again; a file that cannot be used changes nothing. */
import { type JsonValue, toCanonicalJson } from '../model/json.ts';
import type { Config } from './config.ts';
import { toReason } from './faults.ts';

/** What a reload reads and whom it tells. */
export interface ReloadPorts {
  readonly read: () => Promise<Config>;
  /** Called with a configuration that differs from the last good one. */
  readonly onConfig: (config: Config) => void | Promise<void>;
  /** Called with the reason when the last good one stays. */
  readonly onRejected: (reason: string) => void;
}

/** Makes a function that reloads; calls run one after another and never reject. */
export function createReload(
  initial: Config,
  { read, onConfig, onRejected }: ReloadPorts,
): () => Promise<void> {
  let good = toText(initial);
  let last = Promise.resolve();
  const reload = async () => {
    try {
      const config = await read();
      const text = toText(config);
      if (text === good) return;
      await onConfig(config);
      good = text;
    } catch (error) {
      onRejected(toReason(error));
    }
  };
  return () => {
    last = last.then(reload);
    return last;
  };
}

function toText(config: Config): string {
  return toCanonicalJson(config as unknown as JsonValue);
}
