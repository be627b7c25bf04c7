import type { ClientShare } from "../limits/client-share.ts";

/**
 * Result of an attempt to use a target. Responses of the application, also 5xx, are successes: the target was reached. An attempt that ends because
 * the client left is cancelled, and says nothing about the target.
 */
export type AttemptResult = "ok" | "connect-failed" | "broken" | "cancelled";

/** Event of an attempt: its result, or `answered` when the head of the response arrives. */
export type AttemptEvent = AttemptResult | "answered";

/**
 * Chooses among the targets of a workload and remembers which of them fail.
 *
 * One balancer serves all engines of a process, so that an address that fails over HTTP/1.1 is avoided over HTTP/2 too.
 */
export interface Balancer {
  /**
   * Returns a target, or undefined if the workload has too many pending requests, or too many of the connection of the client. Of two random
   * targets it takes the one with fewer running requests. A target in `tried` is returned only if there is no other.
   */
  choose(
    workload: string,
    targets: readonly string[],
    tried?: ReadonlySet<string>,
    client?: ClientShare,
  ): string | undefined;
  /**
   * Counts a request to a target as running until the returned function is called with a result, and as pending until it is called with
   * `answered` or a result. Calls after a result have no effect.
   */
  begin(workload: string, target: string, client?: ClientShare): (event: AttemptEvent) => void;
  /** Reports whether connections to an address succeed. */
  isHealthy(target: string): boolean;
}
