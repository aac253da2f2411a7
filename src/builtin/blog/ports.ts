/** What the blog may be given by the house around it; it works without. */
import type { BuiltinParts } from '../builtin.ts';

/** A post on its way to a contact. */
export interface SharedPost {
  readonly id: number;
  /** Whom it is for: a name or an id, as it was given. */
  readonly contact: string;
}

/** A post that is on its way: it arrives as soon as the contact is online. */
export interface ShareReceipt {
  /** The contact it is for, by name. */
  readonly contact: string;
}

/** The way to other people. */
export interface BlogShares {
  /** Offers a post to a contact; throws INVALID_PARAMS when there is no such contact. */
  offer(post: SharedPost): Promise<ShareReceipt>;
}

/** A stored picture, opened. */
export interface Picture {
  readonly mimeType: string;
  readonly size: number;
  /** Follows from the content. */
  readonly sha256: string;
  read(): Promise<ReadableStream<Uint8Array>>;
}

/** Where pictures are kept. */
export interface BlogPictures {
  /** Undefined when nothing is kept under the key. */
  find(key: string): Promise<Picture | undefined>;
}

/** What a blog may be given beside what every built-in may. */
export interface BlogParts extends BuiltinParts {
  /** Without it nothing can be sent to contacts. */
  readonly shares?: BlogShares | undefined;
  /** Without it posts have no covers. */
  readonly pictures?: BlogPictures | undefined;
}
