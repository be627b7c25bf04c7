import type { QueueSnapshot } from "../queue/snapshot.ts";
import type { AccessRule } from "./access.ts";
import type { StuckReconcile } from "./stuck-workers.ts";

/** The two signals that end the term of a controller. */
export interface TermSignals {
  /** Aborts when no further reconcile may start; running reconciles may finish. */
  readonly stop: AbortSignal;
  /** Aborts when running reconciles must end, too. Its reason is the cause: leadership lost, or the shutdown grace period is over. */
  readonly abort: AbortSignal;
}

/** A controller in a running program, as its manager controls it. */
export interface ControllerUnit {
  readonly name: string;
  /** RBAC rules that the controller needs. */
  readonly access: readonly AccessRule[];
  /** Starts the informers. Called before leadership is acquired, so that the caches of a standby process are warm. */
  open(): void;
  /** Resolves when all informers have completed their initial list. */
  ready(signal: AbortSignal): Promise<void>;
  /** Reconciles for one term, beginning with every existing object. Resolves when no reconcile of the term is running any more. */
  lead(signals: TermSignals): Promise<void>;
  /** Returns a snapshot of the work queue; undefined when the controller does not lead. */
  queue(): QueueSnapshot | undefined;
  /** Returns the stuck reconciles when they occupy every worker, so that only a restart helps; undefined otherwise. */
  blocked(): readonly StuckReconcile[] | undefined;
  /** Drops state that is no longer needed. Called when the program is idle. */
  releaseMemory(): void;
  /** Stops the informers. */
  close(): void;
}
