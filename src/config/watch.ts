/** Notices edits of the configuration file while the gateway runs. */
import { type FSWatcher, realpathSync, unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type CancelTimer, type Clock, systemClock } from '../lib/clock.ts';

const QUIET_MS = 100;
const POLL_MS = 2_000;

/** Calls back once a burst of edits is over; returns what ends the watch. */
export function watchConfig(path: string, onChange: () => void, clock: Clock = systemClock): () => void {
  let cancel: CancelTimer | undefined;
  let closed = false;
  const onEdit = () => {
    cancel?.();
    if (!closed) cancel = clock.after(QUIET_MS, onChange);
  };
  const closers = [...new Set([path, toTarget(path)])].map((file) => watchFolder(file, onEdit));
  return () => {
    closed = true;
    cancel?.();
    for (const close of closers) close();
  };
}

/** Editors replace files by renaming, which ends a watch on the file itself; so its folder is watched. */
function watchFolder(file: string, onEdit: () => void): () => void {
  let watcher: FSWatcher;
  try {
    watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name === basename(file)) onEdit();
    });
  } catch {
    // The system's watches may be used up; asking now and then always works.
    return pollFile(file, onEdit);
  }
  watcher.on('error', onEdit);
  return () => watcher.close();
}

function pollFile(file: string, onEdit: () => void): () => void {
  const listener = () => onEdit();
  watchFile(file, { persistent: false, interval: POLL_MS }, listener);
  return () => unwatchFile(file, listener);
}

function toTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
