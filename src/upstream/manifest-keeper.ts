/** Keeps what a server offers in step: read when it is greeted and when it says that something changed. */

import { toMessage } from '../errors/from-unknown.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import { toDigest } from '../model/ids.ts';
import { type JsonValue, toCanonicalJson } from '../model/json.ts';
import type { Manifest, Traits } from '../model/manifest.ts';
import { type Definition, MODERN_REVISION } from '../model/mcp.ts';
import { LOCAL_PRINCIPAL } from '../model/principal.ts';
import { readManifest } from './manifest.ts';
import { OWN_CONVERSATION } from './questions.ts';
import type { Connection } from './upstream.ts';

/** What a keeper starts from and whom it tells. */
export interface ManifestKeeperOptions {
  readonly initial: Manifest | undefined;
  readonly clock: Clock;
  /** Aborts when nothing is to be read any more. */
  readonly stopping: CancelSignal;
  /** A different manifest was read; it should be kept and told. */
  onChange(manifest: Manifest): Promise<void>;
  /** Something a person should know of how the lists were read. */
  onRemark(remark: string): void;
}

/** How long changes of lists are gathered before the lists are read again. */
const COALESCE_MS = 250;
/** Readings caused by changes are at least this far apart, however often a server says that something changed. */
const MIN_GAP_MS = 1_000;

/** Holds the manifest of one server. */
export class ManifestKeeper {
  readonly #options: ManifestKeeperOptions;
  #manifest: Manifest | undefined;
  /** Of the manifest, to tell whether another is the same; taken when it is first compared. */
  #digest: string | undefined;
  /** The connection greeted last, which is the one to ask. */
  #newest: Connection | undefined;
  #toolsByName: ReadonlyMap<unknown, Definition> | undefined;
  #cancelRefresh: CancelTimer | undefined;
  #lastChange = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  /** The connection whose lists are read next, when the reading under way is over. */
  #waiting: Connection | undefined;

  constructor(options: ManifestKeeperOptions) {
    this.#options = options;
    this.#manifest = options.initial;
    options.stopping.addEventListener('abort', () => this.#cancelRefresh?.(), { once: true });
  }

  get current(): Manifest | undefined {
    return this.#manifest;
  }

  /** Starts from what is kept by now, where nothing was when this began. */
  adopt(manifest: Manifest): void {
    this.#manifest = manifest;
    this.#digest = undefined;
    this.#toolsByName = undefined;
  }

  /** The definition of a tool, by the server's own name for it. */
  tool(name: unknown): Definition | undefined {
    this.#toolsByName ??= new Map(this.#manifest?.lists.tool.map((tool) => [tool['name'], tool]));
    return this.#toolsByName.get(name);
  }

  /** Reads the lists of a fresh connection; what is known already is only brought up to date in the background. */
  async welcome(connection: Connection, signal: CancelSignal): Promise<void> {
    this.#newest = connection;
    if (this.#manifest === undefined) await this.#refresh(connection, signal);
    else this.#refreshQuietly(connection);
  }

  /** Reads the lists of the newest connection again soon; a storm of changes makes one reading. */
  refreshSoon(): void {
    const { clock, stopping } = this.#options;
    if (this.#cancelRefresh || stopping.aborted) return;
    const delayMs = Math.max(COALESCE_MS, this.#lastChange + MIN_GAP_MS - clock.now());
    this.#cancelRefresh = clock.after(delayMs, () => {
      this.#cancelRefresh = undefined;
      this.#lastChange = clock.now();
      if (this.#newest) this.#refreshQuietly(this.#newest);
    });
  }

  /** Notes how the server behaves. */
  async learn(traits: Traits): Promise<void> {
    if (this.#manifest)
      await this.#replace({ ...this.#manifest, traits: { ...this.#manifest.traits, ...traits } });
  }

  #refreshQuietly(connection: Connection): void {
    const isQueued = this.#waiting !== undefined;
    this.#waiting = connection;
    // However much has changed while lists were read, they are read once more.
    if (isQueued) return;
    // One reading after the other, so that an older answer never replaces a newer one.
    this.#reading = this.#reading.then(async () => {
      const next = this.#waiting;
      this.#waiting = undefined;
      try {
        if (next) await this.#refresh(next, this.#options.stopping);
      } catch (error) {
        // The last known lists stay: a server that cannot list now has not thereby lost its tools.
        this.#options.onRemark(`its lists could not be read again: ${toMessage(error)}`);
      }
    });
  }

  async #refresh(connection: Connection, signal: CancelSignal): Promise<void> {
    const { manifest, remarks } = await readManifest(connection, toOwnCall(signal));
    for (const remark of remarks) this.#options.onRemark(remark);
    const traits = this.#manifest?.traits;
    if (!signal.aborted) await this.#replace(traits ? { ...manifest, traits } : manifest);
  }

  async #replace(next: Manifest): Promise<void> {
    this.#digest ??= this.#manifest && digestOf(this.#manifest);
    const digest = digestOf(next);
    if (digest === this.#digest) return;
    this.#manifest = next;
    this.#digest = digest;
    this.#toolsByName = undefined;
    await this.#options.onChange(next);
  }
}

function digestOf(manifest: Manifest): string {
  return toDigest(toCanonicalJson(manifest as unknown as JsonValue), 64);
}

/** A request of the gateway itself, on nobody's behalf. */
export function toOwnCall(signal: CancelSignal): CallContext {
  return {
    principal: LOCAL_PRINCIPAL,
    conversation: OWN_CONVERSATION,
    profile: undefined,
    facts: { era: 'modern', protocolVersion: MODERN_REVISION, name: 'thimble', info: {}, capabilities: {} },
    logLevel: undefined,
    retry: undefined,
    signal,
    client: { notify() {} },
  };
}
