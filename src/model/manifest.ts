/** What an upstream offers, as last seen. */
import type { Definition, ServerHello } from './mcp.ts';

/** The four kinds of thing an upstream can offer. */
export type Kind = 'tool' | 'resource' | 'template' | 'prompt';

/** What an upstream has been seen to do that decides how it may be shared. */
export interface Traits {
  /** It asked something without saying for which call: its conversations have to take turns. */
  readonly asks?: boolean;
  /** It asked for roots: callers with different roots must not share it. */
  readonly asksRoots?: boolean;
}

/** Everything one upstream offers: its greeting and its lists, whole. */
export interface Manifest {
  readonly traits?: Traits;
  readonly hello: ServerHello;
  readonly lists: Readonly<Record<Kind, readonly Definition[]>>;
}
