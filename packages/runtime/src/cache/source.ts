import type { ResourceType } from "@homeostat/core";

/** Which objects of a kind, and how much of each. */
export interface SourceSelection {
  readonly type: ResourceType;
  /** Undefined for all namespaces, and for kinds that have none. */
  readonly namespace: string | undefined;
  /** As in URLs; undefined for all. */
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Whether only `metadata` is wanted, as `PartialObjectMetadata`. */
  readonly isMetadataOnly: boolean;
}

/** One page of a list, or all of it. It is always the newest state: no `resourceVersion` is sent. */
export interface ListRequest {
  readonly limit?: number;
  readonly continue?: string;
  readonly signal: AbortSignal;
}

/** A watch with bookmarks. */
export interface WatchRequest {
  /** The version after which to begin. */
  readonly resourceVersion: string;
  /** When the server should end it. */
  readonly timeoutSeconds: number;
  /** Whether everything there is should come first, as additions, up to a bookmark that says so. */
  readonly sendInitialEvents?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Where an informer gets the objects of one selection from.
 *
 * Both calls resolve when the answer has begun, and reject with an `ApiError` when the server refuses and a
 * `NetworkError` when it is not there. Leaving the loop over what they resolve with early closes the connection; aborting
 * the signal makes the call or the loop reject.
 */
export interface Source {
  /** The body of the list, in pieces of any size. */
  list(request: ListRequest): Promise<AsyncIterable<Uint8Array>>;
  /** The events, each a line of JSON that will not change afterwards. */
  watch(request: WatchRequest): Promise<AsyncIterable<Buffer>>;
}

/** Makes the source of a selection. */
export type Sources = (selection: SourceSelection) => Source;
