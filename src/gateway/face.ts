/** What clients meet: the catalogue and everything above it, and how it follows the configuration. */

import type { OnCalled } from '../catalog/called-tool.ts';
import type { Catalog, Snapshot } from '../catalog/catalog.ts';
import type { LessonKeeper } from '../catalog/lesson-keeper.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import type { Config } from '../config/config.ts';
import { toModesOff } from '../config/overrides.ts';
import type { Feed } from '../events/feed.ts';
import { createArgumentCheck } from '../exposure/argument-check.ts';
import type { ModePorts, TokenCount } from '../exposure/ports.ts';
import { MODES } from '../exposure/registry.ts';
import { createShared } from '../exposure/shared.ts';
import { systemClock } from '../lib/clock.ts';
import { VERSION } from '../model/version.ts';
import { POLICIES } from '../policy/order.ts';
import type { Account } from '../session/account.ts';
import { countModes, type Health, toHealth } from '../session/health.ts';
import { createInputStates } from '../session/input-state.ts';
import type { Instructions } from '../session/instructions.ts';
import { createModeStates } from '../session/mode-states.ts';
import { createParking } from '../session/parking.ts';
import type { Sessions } from '../session/session.ts';
import { createSessions } from '../session/sessions.ts';
import { createStateRows } from '../session/state-rows.ts';
import type { SurfaceParts } from '../session/surface.ts';
import type { Store } from '../store/store.ts';
import type { Upstreams } from '../upstream/upstream.ts';

/** What it is made of. */
export interface FaceParts {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly lessons: LessonKeeper;
  readonly feed: Feed;
  readonly store: Store;
  readonly tokens: TokenCount;
  readonly account: Account;
  readonly onCalled: OnCalled;
  readonly instructions: Instructions;
  /** Names that tools of older systems had, with how to ask for the same here. */
  readonly formerNames: (() => Promise<ReadonlyMap<string, string>>) | undefined;
}

/** What clients meet. */
export interface Face extends Disposable {
  readonly sessions: Sessions;
  readonly catalog: Catalog;
  /** What surfaces are made of, for those who look at them on nobody's behalf. */
  readonly surfaces: SurfaceParts;
  health(): Promise<Health>;
  /** Takes over what a new configuration says about it. */
  follow(config: Config): void;
}

/** Every name the gateway keeps for tools of its own. */
export function toReservedNames(namespace: string): ReadonlySet<string> {
  return new Set(MODES.flatMap((mode) => mode.reserved(namespace)));
}

/** How many tools the modes show, and for what they were counted. */
interface CountedModes {
  readonly snapshot: Snapshot;
  readonly config: Config;
  readonly modes: Promise<Readonly<Record<string, number>>>;
}

/** Opens it. */
export function openFace(parts: FaceParts): Face {
  const { upstreams, lessons, feed, store } = parts;
  const stopping = new AbortController();
  let config = parts.config;
  let modesOff = toModesOff(config);
  let counted: CountedModes | undefined;
  const exposureListeners = new Set<() => void>();
  const { namespace } = config;
  const reserved = toReservedNames(namespace);
  const names = () => ({ reserved, maxLength: config.names.maxLength });
  const catalog = openCatalog({ upstreams, names, feed, lessons, onCalled: parts.onCalled });
  const ports: SurfaceParts['ports'] = {
    namespace,
    get options(): ModePorts['options'] {
      return config.exposure;
    },
    maxName: () => config.names.maxLength,
    renamed: async (name) => (config.manage.enabled ? (await parts.formerNames?.())?.get(name) : undefined),
    argumentCheck: createArgumentCheck(({ upstream, name }, reason) =>
      feed.publish({ type: 'schema.unchecked', upstream, tool: name, reason }),
    ),
    tokens: parts.tokens,
    shared: createShared(),
    searchMemory: catalog.searchMemory,
  };
  const states = createModeStates(createStateRows(store, Date.now), Date.now);
  const surfaces: SurfaceParts = {
    catalog,
    policies: POLICIES,
    modes: MODES,
    ports,
    states,
    onExposureChange(listener) {
      exposureListeners.add(listener);
      return () => exposureListeners.delete(listener);
    },
    instructions: parts.instructions,
  };
  const sessions = createSessions({
    ...surfaces,
    account: parts.account,
    identity: { name: 'thimble', version: VERSION },
    stopping: stopping.signal,
    parking: createParking(systemClock),
    inputStates: createInputStates(),
    addresses: {
      modes: MODES.map((mode) => mode.name),
      // Read as they are now, and only where an address names one: this is on the way of every request.
      get defaultMode() {
        return config.exposure.mode;
      },
      get off() {
        return modesOff;
      },
      get upstreams() {
        return upstreams.all.filter(({ config: { enabled } }) => enabled).map(({ config: { id } }) => id);
      },
      get profiles() {
        return [...new Set(upstreams.all.flatMap(({ config: { tags } }) => tags))].sort();
      },
    },
  });
  return {
    sessions,
    catalog,
    surfaces,
    async health() {
      // Laying out every mode is work; it is done again only when what is shown may have changed.
      if (counted?.snapshot !== catalog.current || counted.config !== config) {
        const modes = countModes(surfaces, modesOff);
        counted = { snapshot: catalog.current, config, modes };
      }
      return toHealth({ upstreams, modes: await counted.modes });
    },
    follow(next) {
      const renames = next.names.maxLength !== config.names.maxLength;
      const shows = JSON.stringify(next.exposure) !== JSON.stringify(config.exposure);
      config = next;
      modesOff = toModesOff(config);
      if (renames) catalog.renamed();
      if (shows) for (const listener of exposureListeners) listener();
    },
    [Symbol.dispose]() {
      stopping.abort();
      catalog[Symbol.dispose]();
    },
  };
}
