/** What can be shared with others: things that one server keeps and another sends. */
import type { JsonValue } from '../model/json.ts';

/** What can be shared. */
export const SHARED_KINDS = ['memory', 'project', 'source', 'note', 'blog_post', 'file'] as const;

/** One of them. */
export type SharedKind = (typeof SHARED_KINDS)[number];

/** The bytes that go with an item. */
export interface SharedFile {
  readonly name: string;
  readonly size: number;
  /** As hex. */
  readonly sha256: string;
  /** The bytes from an offset on. */
  open(offset: number): AsyncIterable<Uint8Array>;
}

/** An item as it is at this moment. */
export interface SharedItem {
  readonly title: string;
  readonly content: JsonValue;
  readonly file?: SharedFile | undefined;
}

/** Finds what somebody wants to share; made by the gateway from the servers that keep it. */
export interface SharedItems {
  /** Undefined when this principal has no such item; throws, and says why, when it may not be shared. */
  read(kind: SharedKind, id: string): Promise<SharedItem | undefined>;
}
