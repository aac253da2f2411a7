/** What an upstream offers, as last seen. */
import type { Definition, ServerHello } from './mcp.ts';

/** The four kinds of thing an upstream can offer. */
export type Kind = 'tool' | 'resource' | 'template' | 'prompt';

/** Everything one upstream offers: its greeting and its lists, whole. */
export interface Manifest {
  readonly hello: ServerHello;
  readonly lists: Readonly<Record<Kind, readonly Definition[]>>;
}
