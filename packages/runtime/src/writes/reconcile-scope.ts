import type { Clock, KubeObject, Random, ResourceType, Stored } from "@homeostat/core";
import type { Informer } from "../cache/informer.ts";
import type { Drift } from "./drift.ts";
import type { Logger } from "../log/logger.ts";
import type { ApplyMemory } from "./apply-memory.ts";
import type { FieldConflict } from "./errors.ts";
import type { HotLoop, HotLoops } from "./hot-loops.ts";
import type { ReconcileJournal } from "./journal.ts";
import type { RecordedClient } from "./recorded-client.ts";

/** An observation of a write that is reported to users by an event. It has been logged already. */
export type WriteReport =
  /** Other field managers had set fields of an owned object to different values. With `wasTaken`, the fields were overwritten. */
  | {
      readonly type: "conflict";
      /** `Deployment default/web` */
      readonly object: string;
      readonly conflicts: readonly FieldConflict[];
      readonly wasTaken: boolean;
    }
  /** A hot loop. */
  | { readonly type: "hot-loop"; readonly loop: HotLoop }
  /** Another client had changed or deleted a managed object, and it was corrected. */
  | { readonly type: "drift"; readonly kind: string; readonly object: string; readonly drift: Drift }
  /** The primary object may have managed objects of a kind that the controller declares neither as managed nor as retired. */
  | { readonly type: "undeclared-kind"; readonly kind: string };

/** Dependencies for the writes of one reconcile. */
export interface ReconcileScope<T extends KubeObject = KubeObject> {
  /** The primary object, from the cache. */
  readonly object: Stored<T>;
  /** Kind of the primary object. */
  readonly type: ResourceType<T>;
  /** Key of the primary object, for the hot loop detection. */
  readonly key: string;
  /** Field manager of server-side apply. */
  readonly fieldManager: string;
  /** Client that records its writes in the cache and the journal, and passes them to {@link watchForLoops}. */
  readonly client: RecordedClient;
  readonly journal: ReconcileJournal;
  readonly memory: ApplyMemory;
  readonly hotLoops: HotLoops;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** Estimated clock of the API server, for the times of conditions. */
  readonly serverClock: Clock;
  readonly random: Random;
  /** Called with observations for users, which become events about the primary object. Must not throw or wait. */
  report(report: WriteReport): void;
}

/** Name of the index of owned objects by the UID of their owner. */
export const ownerIndex = "owner";

/** The informer of an owned kind, with the owner index. */
export type OwnedInformer<T extends KubeObject = KubeObject> = Pick<Informer<T, typeof ownerIndex>, "get" | "by">;
