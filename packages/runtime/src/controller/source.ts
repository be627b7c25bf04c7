import type { CacheReader } from "./context.ts";
import type { Keys } from "./kinds.ts";

/**
 * Something outside the cluster whose events lead to reconciles. Made by {@link source}.
 *
 * A stream that ends is not opened again; one that throws is, after a while.
 */
export interface Source<E = unknown> {
  readonly name: string;
  open(signal: AbortSignal): AsyncIterable<E>;
  map(event: E, cache: CacheReader): Keys;
}

/**
 * Makes a source of anything that can be looped over with `for await`.
 *
 * @example
 * source({ name: "releases", open: (signal) => releases(signal), map: (release) => [release.tenant] });
 */
export function source<E>(definition: Source<E>): Source<E> {
  return definition;
}
