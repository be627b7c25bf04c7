/** Requests of one connection of a client that wait, over all workloads. Only connections with several requests at a time have one. */
export interface ClientShare {
  /** Requests that wait for a connection to an upstream or for the head of a response. */
  pending: number;
  /** Requests that are held until a target is ready. */
  held: number;
}

/**
 * Reports whether a connection may take one more place of a limit that all clients share.
 *
 * A connection may have as many places as are free. One connection alone thus gets half of them, and `n` connections that take all they can get
 * 1/(n+1) each: the same part stays free for others, so that a client with thousands of stalled requests does not keep them out. A
 * connection with one request at a time always gets a free place.
 */
export function mayTake({
  own,
  all,
  max,
}: {
  readonly own: number;
  readonly all: number;
  readonly max: number;
}): boolean {
  return own < max - all;
}
