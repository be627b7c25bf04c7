import { ArgumentError } from "@homeostat/core";

/** A key that was handed out, until it is given back to `done` or `fail`. */
export interface QueueItem {
  readonly key: string;
  /** The highest priority it was added with. */
  readonly priority: number;
  /** 1, or one more for each failure in a row. */
  readonly attempt: number;
  /** How many adds became this one item. */
  readonly adds: number;
  /** Why it was added: the first eight different reasons. For logs and traces, not to branch on. */
  readonly reasons: readonly string[];
  /** How many adds had yet another reason. */
  readonly reasonsOmitted: number;
  /** How long it was ready before it was handed out. */
  readonly waitedMs: number;
}

/** How an item is added. */
export interface AddOptions {
  /**
   * Higher goes first. A whole number from -1000 to 1000; default 0. Objects of an initial list usually get
   * {@link initialListPriority}, so that a fresh change need not wait for all of them.
   */
  readonly priority?: number;
  /** Why, in a few words: `"Deployment default/web changed"`. */
  readonly reason?: string;
}

/** How an item is put down after a failure. */
export interface FailOptions extends AddOptions {
  /** Retries after this delay in milliseconds; the limiter of the queue is not asked. */
  readonly delayMs?: number | undefined;
}

const priorityMax = 1000;

/** Refuses a priority that is none. The range keeps the number of series in the metrics small. */
export function checkPriority(options: AddOptions | undefined): void {
  const priority = options?.priority ?? 0;
  if (Number.isInteger(priority) && Math.abs(priority) <= priorityMax) return;
  const problem = `is ${priority}; it must be a whole number from -${priorityMax} to ${priorityMax}.`;
  throw new ArgumentError({ argument: "priority", problem });
}

/** The priority that controllers give to objects of their first list, as controller-runtime does. */
export const initialListPriority = -100;

/** How things stand with a key that failed. */
export interface Retry {
  readonly key: string;
  /** How often it failed in a row. */
  readonly failures: number;
  /** How many of these failures count for the delay; see `WorkQueue.fail`. */
  readonly countedFailures: number;
  /** The delay that follows from them, in milliseconds. */
  readonly delayMs: number;
  /** When that delay ends, in milliseconds since 1970. An event may bring the key earlier. */
  readonly nextRetryAt: number;
}
