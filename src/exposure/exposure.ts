/** The contract of an exposure mode: what a client is shown as tools, and what its calls mean. */
import type { Entry } from '../catalog/catalog.ts';
import type { JsonObject } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import type { CatalogView } from '../policy/policy.ts';
import type { ModePorts } from './ports.ts';

/** A mode at work for one conversation. */
export interface Exposure {
  /** The surface: a function of the view and of what the mode remembers, never of whether a server is up. */
  tools(view: CatalogView): Promise<readonly Definition[]>;
  /** Answers `tools/call` for a name on the surface. */
  call(name: string, params: JsonObject, view: CatalogView): Promise<JsonObject>;
  /** How a text tells its reader to use a tool here, in few words. */
  mention(entry: Entry, view: CatalogView): Promise<string>;
  /** Says which mode was chosen for the caller and why, where that is decided for each. */
  explain?(view: CatalogView): Promise<{ readonly mode: string; readonly reason: string }>;
}

/** A registered mode. */
export interface ExposureMode {
  readonly name: string;
  readonly summary: string;
  /** Names of its own tools under a namespace; no upstream's tool is ever shown under one. */
  reserved(namespace: string): readonly string[];
  /** Those of them that only tell what there is to call. */
  finds?(namespace: string): readonly string[];
  /** True when a call may change the surface, so that no client should keep it for a while. */
  readonly changesByCall?: boolean;
  /** Opens it for one conversation. */
  open(ports: ModePorts): Exposure;
}
