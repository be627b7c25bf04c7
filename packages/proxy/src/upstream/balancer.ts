/** Result of an attempt to use a target. Responses of the application, also 5xx, are successes: the target was reached. */
export type AttemptResult = "ok" | "connect-failed" | "broken";

/**
 * Chooses among the targets of a workload and remembers which of them fail.
 *
 * One balancer serves all engines of a process, so that an address that fails over HTTP/1.1 is avoided over HTTP/2 too.
 */
export interface Balancer {
  /**
   * Returns a target, or undefined if the workload has too many pending requests. Of two random targets it takes the one with fewer
   * running requests. A target in `tried` is returned only if there is no other.
   */
  choose(workload: string, targets: readonly string[], tried?: ReadonlySet<string>): string | undefined;
  /** Counts a request to a target, until the returned function is called with its result. Further calls have no effect. */
  begin(workload: string, target: string): (result: AttemptResult) => void;
  /** Reports whether connections to an address succeed. */
  isHealthy(target: string): boolean;
}
