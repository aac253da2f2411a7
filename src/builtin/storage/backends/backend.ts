/** The contract of a place that keeps the bytes of files; it knows nothing of names, owners or quotas. */
import type { Readable } from 'node:stream';

/** What is known of a content once all of it was taken in. */
export interface TakenContent {
  /** Where it is, in words of the backend; begins with `<kind>:`. */
  readonly address: string;
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** The bytes asked for, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One content on its way in. */
export interface Incoming {
  /** Names this attempt: 32 hexadecimal digits, never used before. */
  readonly attempt: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** More bytes than this are refused while they come. */
  readonly limit: number;
}

/** What a link to one content says. */
export interface LinkRequest {
  /** The file's own key, for a backend that is read through the gateway. */
  readonly key: string;
  readonly address: string;
  readonly name: string;
  readonly mimeType: string;
  readonly seconds: number;
}

/** A place that keeps contents. */
export interface Backend {
  readonly kind: string;
  /** True when equal contents get one address, so that deleting it must never cross a `keep` of it. */
  readonly shared: boolean;
  /** Takes a content in without making it last; after a failure nothing of it is left. */
  put(incoming: Incoming): Promise<TakenContent>;
  /** Makes what an attempt took in last at its address. Quick where contents are shared: the store is locked meanwhile. */
  keep(attempt: string, address: string): Promise<void>;
  /** Removes whatever an attempt left behind that was not kept. */
  discard(attempt: string): Promise<void>;
  /** The bytes, or undefined when nothing is there; who takes the stream reads or destroys it. */
  get(address: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Deletes a content; one that is not there is no fault. */
  delete(address: string): Promise<void>;
  /** A link anybody can read the content by until it expires. */
  link(request: LinkRequest): Promise<string>;
  /** Lets go of connections, and of contents that were never meant to outlive the process. */
  close(): Promise<void>;
}
