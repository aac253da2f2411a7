/** The contract of an exposure mode: what a client is shown as tools, and what its calls mean. */
import type { JsonObject } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import type { CatalogView } from '../policy/policy.ts';
import type { ModePorts } from './ports.ts';

/** A mode at work for one conversation. */
export interface Exposure {
  /** The surface: a function of the view, never of whether a server is up. */
  tools(view: CatalogView): readonly Definition[];
  /** Answers `tools/call` for a name on the surface. */
  call(name: string, params: JsonObject, view: CatalogView): Promise<JsonObject>;
}

/** A registered mode. */
export interface ExposureMode {
  readonly name: string;
  readonly summary: string;
  /** Names of its own tools; no upstream's tool is ever shown under one. */
  readonly reserved: readonly string[];
  /** Opens it for one conversation. */
  open(ports: ModePorts): Exposure;
}
