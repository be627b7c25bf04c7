import { ArgumentError } from "@homeostat/core";

/** A key that was handed out. It must be passed to `done` or `fail`. */
export interface QueueItem {
  readonly key: string;
  /** Highest priority of the merged adds. */
  readonly priority: number;
  /** 1 plus the number of consecutive failures. */
  readonly attempt: number;
  /** Number of adds merged into this item. */
  readonly adds: number;
  /**
   * First eight distinct reasons of the adds. For logs and traces only: a reconciler that branches on them misses what
   * happened while it was not running.
   */
  readonly reasons: readonly string[];
  /** Number of adds whose reason was omitted. */
  readonly reasonsOmitted: number;
  /** Time from when the key was due until it was handed out. */
  readonly waitedMs: number;
}

/** Options of an add. */
export interface AddOptions {
  /**
   * Higher goes first. A whole number from -1000 to 1000; default 0. Objects of an initial list usually get
   * {@link initialListPriority}, so that a new change need not wait for all of them.
   */
  readonly priority?: number;
  /** Reason in a few words: `"Deployment default/web changed"`. */
  readonly reason?: string;
}

/** Options of {@link WorkQueue.fail}. */
export interface FailOptions extends AddOptions {
  /** Delay before the retry in milliseconds, instead of the limiter's. */
  readonly delayMs?: number | undefined;
}

const priorityMax = 1000;

/** Throws if the priority is invalid. The range limits the number of time series in the metrics. */
export function checkPriority(options: AddOptions | undefined): void {
  const priority = options?.priority ?? 0;
  if (Number.isInteger(priority) && Math.abs(priority) <= priorityMax) return;
  const problem = `is ${priority}; it must be a whole number from -${priorityMax} to ${priorityMax}.`;
  throw new ArgumentError({ argument: "priority", problem });
}

/** Priority of the objects of a controller's initial list, the same as in controller-runtime. */
export const initialListPriority = -100;

/** Retry state of a failed key. */
export interface Retry {
  readonly key: string;
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Number of these failures that count for the delay; see `WorkQueue.fail`. */
  readonly countedFailures: number;
  /** Current delay in milliseconds. */
  readonly delayMs: number;
  /** End of the delay, in milliseconds since the epoch. An event may bring the key forward. */
  readonly nextRetryAt: number;
}
