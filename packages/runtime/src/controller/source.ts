import type { CacheReader } from "../kinds/cache-reader.ts";
import type { Keys } from "../kinds/kinds.ts";

/**
 * An event stream from outside the cluster that triggers reconciles. Made by {@link source}.
 *
 * A stream that ends is not reopened; a stream that throws is reopened with backoff.
 */
export interface Source<E = unknown> {
  /** Name of the source in logs and in the reasons of reconciles. */
  readonly name: string;
  /** Opens the stream. Called when a term starts, and after an error. The signal aborts when the term ends. */
  open(signal: AbortSignal): AsyncIterable<E>;
  /** Returns the keys of the primary objects to reconcile because of an event. */
  map(event: E, cache: CacheReader): Keys;
}

/**
 * Defines a source from anything that `for await` can iterate over.
 *
 * @example
 * source({ name: "releases", open: (signal) => releases(signal), map: (release) => [release.tenant] });
 */
export function source<E>(definition: Source<E>): Source<E> {
  return definition;
}
