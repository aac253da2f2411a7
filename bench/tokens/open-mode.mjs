// Opens a mode over servers that answer at once, with the parts a gateway gives it.
import { toTokens } from './parts.mjs';

/** A catalogue over offers; modes are opened on it one conversation at a time. */
export function openServers(parts, offers, { reserved = [] } = {}) {
  const upstreams = parts.createFakeUpstreams(offers);
  const names = { reserved: new Set(reserved), maxLength: 48 };
  const catalog = parts.openCatalog({ upstreams, names: () => names, feed: parts.createFeed() });
  const argumentCheck = parts.createArgumentCheck();
  const shared = parts.createShared();
  const view = () => parts.openView(catalog.current, catalog, parts.POLICIES, parts.createContext());

  /** The ports of one conversation; nothing is learnt from one for the next. */
  const createPorts = (options = {}) => ({
    namespace: 'thimble',
    maxName: () => names.maxLength,
    renamed: async () => undefined,
    options: { ...parts.createExposureOptions(), ...options },
    argumentCheck,
    tokens: { count: async (text) => toTokens(text) },
    state: createState(),
    kept: createState(),
    shared,
    searchMemory: { searched() {}, called() {} },
  });

  return { upstreams, catalog, argumentCheck, view, createPorts };
}

/** What a mode shows over offers. */
export async function listTools(parts, name, offers, options) {
  const mode = findMode(parts, name);
  const servers = openServers(parts, offers, { reserved: mode.reserved('thimble') });
  return mode.open(servers.createPorts(options)).tools(servers.view());
}

/** A mode by its name. */
export function findMode({ MODES }, name) {
  const mode = MODES.find((each) => each.name === name);
  if (!mode) throw new Error(`there is no mode ${name}`);
  return mode;
}

function createState() {
  const states = new Map();
  return {
    read: async (caller) => states.get(caller),
    async update(caller, change) {
      const next = change(states.get(caller));
      states.set(caller, next);
      return next;
    },
  };
}
