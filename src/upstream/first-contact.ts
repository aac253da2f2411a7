/** The first contact with a server: who waits for it, what is noted when that was in vain, and when it is tried again. */
import type { CancelTimer } from '../lib/clock.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Remembered } from '../store/store.ts';
import { createDeferred } from './deferred.ts';
import type { InstanceOptions } from './instance-options.ts';
import { FIRST_CONTACT_WAIT_MS } from './limits.ts';

/** A server that never answered in an earlier run is tried again in the background, not while a start is awaited. */
const SECOND_TRY_MS = 10_000;

/** With whom, and whom it tells. */
export interface FirstContactParts {
  readonly options: Pick<InstanceOptions, 'config' | 'key' | 'clock' | 'manifests' | 'stored'>;
  /** True while nothing is known of the server. */
  isUnknown(): boolean;
  /** Tries to reach it now; `settle` is called when that is over. */
  contact(): void;
  /** Takes over what another process learnt. */
  adopt(manifest: Manifest): void;
  /** The store failed at something. */
  onFault(doing: string, error: unknown): void;
}

/** One first contact. */
export interface FirstContact {
  /** Resolves when it was made, has failed, or need not be waited for. */
  readonly over: Promise<void>;
  begin(): void;
  settle(): void;
  stop(): void;
}

/** Creates a first contact; nothing happens before it begins. */
export function createFirstContact(parts: FirstContactParts): FirstContact {
  const { config, key, clock, manifests, stored } = parts.options;
  const { promise: over, resolve } = createDeferred<void>();
  let cancelNote: CancelTimer | undefined;
  let cancelLook: CancelTimer | undefined;
  /** There while another try is to come. */
  let cancelTry: CancelTimer | undefined;
  let isStopped = false;

  function noteSilence(): void {
    // A server of ours always answers.
    if (!parts.isUnknown() || config.core || isStopped) return;
    manifests.saveAttempt(key, config.id).catch((error: unknown) => parts.onFault('remembering', error));
  }

  function tryAgain(): void {
    cancelLook?.();
    cancelTry = undefined;
    parts.contact();
  }

  /** The process that noted the silence may still be waiting for the server, and have it before it is tried here. */
  async function look(): Promise<void> {
    const found = await manifests.load(key).catch(() => undefined);
    if (cancelTry === undefined || !parts.isUnknown()) return;
    if (found?.manifest) {
      cancelTry();
      cancelTry = undefined;
      parts.adopt(found.manifest);
    } else lookLater();
  }

  function lookLater(): void {
    cancelLook = clock.after(FIRST_CONTACT_WAIT_MS, () => void look());
  }

  function know({ manifest }: Remembered): void {
    resolve();
    if (manifest) return;
    cancelTry = clock.after(SECOND_TRY_MS, tryAgain);
    lookLater();
  }

  return {
    over,
    begin() {
      if (stored) return know(stored);
      // Not before: another process that starts at this moment, or after this one was killed, should wait for it too.
      cancelNote = clock.after(FIRST_CONTACT_WAIT_MS, noteSilence);
      void over.then(noteSilence);
      parts.contact();
    },
    settle: () => resolve(),
    stop() {
      isStopped = true;
      cancelNote?.();
      cancelLook?.();
      cancelTry?.();
      cancelTry = undefined;
      resolve();
    },
  };
}
