import type { QueueSnapshot } from "../queue/snapshot.ts";
import type { AccessRule } from "./access.ts";
import type { StuckReconcile } from "./stuck-workers.ts";

/** When a unit has to stop, in two steps. */
export interface TermSignals {
  /** Take up no new work; what is running may finish. */
  readonly stop: AbortSignal;
  /** Break off what is running, too. Its reason says why: leadership lost, or no more time. */
  readonly abort: AbortSignal;
}

/** A controller in a running program, as its manager sees it. */
export interface ControllerUnit {
  readonly name: string;
  /** What it needs to be allowed to do. */
  readonly access: readonly AccessRule[];
  /** Opens its informers, so that they fill while another process leads. */
  open(): void;
  /** Resolves when all that it reads is there for the first time. */
  ready(signal: AbortSignal): Promise<void>;
  /** Reconciles for one term, beginning with every object there is. Resolves when nothing of it runs any more. */
  lead(signals: TermSignals): Promise<void>;
  /** What its queue looks like now; undefined when it does not lead. */
  queue(): QueueSnapshot | undefined;
  /** The stuck reconciles when they keep every worker of the controller, so that only a restart helps; undefined otherwise. */
  blocked(): readonly StuckReconcile[] | undefined;
  /** Closes its informers. */
  close(): void;
}
