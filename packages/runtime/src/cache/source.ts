import type { ResourceType } from "@homeostat/core";

/** The objects of a kind to request, and whether in full. */
export interface SourceSelection {
  readonly type: ResourceType;
  /** Undefined for all namespaces and for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  /** Selector in URL syntax; undefined for all objects. */
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** True to request only `metadata`, as `PartialObjectMetadata`. */
  readonly isMetadataOnly: boolean;
}

/** A request for a list or one page of it. No `resourceVersion` is sent, so the server returns the newest state. */
export interface ListRequest {
  readonly limit?: number;
  readonly continue?: string;
  readonly signal: AbortSignal;
}

/** A request for a watch with bookmarks. */
export interface WatchRequest {
  /** Version after which events are sent. */
  readonly resourceVersion: string;
  /** Time after which the server ends the watch. */
  readonly timeoutSeconds: number;
  /** True to receive all existing objects first, as `ADDED` events followed by a bookmark that marks their end. */
  readonly sendInitialEvents?: boolean;
  readonly signal: AbortSignal;
}

/**
 * The list and watch requests of one selection.
 *
 * Both calls resolve when the response has started. They reject with an `ApiError` if the server refuses the request
 * and with a `NetworkError` if it cannot be reached. Leaving the loop over the result early closes the connection;
 * aborting the signal makes the call or the loop reject.
 */
export interface Source {
  /** Returns the body of the list, in chunks of any size. */
  list(request: ListRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Returns the events, each a line of JSON in a buffer that is not reused. */
  watch(request: WatchRequest): Promise<AsyncIterable<Buffer>>;
}

/** Creates the source of a selection. */
export type Sources = (selection: SourceSelection) => Source;
