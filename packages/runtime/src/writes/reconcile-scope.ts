import type { Clock, KubeObject, Random, ResourceType, Stored } from "@homeostat/core";
import type { Informer } from "../cache/informer.ts";
import type { Drift } from "../managed/desired.ts";
import type { Logger } from "../log/logger.ts";
import type { ApplyMemory } from "./apply-memory.ts";
import type { FieldConflict } from "./errors.ts";
import type { HotLoop, HotLoops } from "./hot-loops.ts";
import type { RunJournal } from "./journal.ts";
import type { RecordedClient } from "./recorded-client.ts";

/** Something that the people who run a controller should hear of; it is in the log already. */
export type WriteReport =
  /** Others had set fields of an owned object to other values. With `wasTaken`, they have ours now. */
  | {
      readonly type: "conflict";
      /** `Deployment default/web` */
      readonly object: string;
      readonly conflicts: readonly FieldConflict[];
      readonly wasTaken: boolean;
    }
  /** The reconciler writes the same again and again. */
  | { readonly type: "hot-loop"; readonly loop: HotLoop }
  /** Another client had changed a managed object, and it is as desired again. */
  | { readonly type: "drift"; readonly kind: string; readonly object: string; readonly drift: Drift }
  /** The primary object may have managed objects of a kind that the controller declares neither as managed nor as retired. */
  | { readonly type: "undeclared-kind"; readonly kind: string };

/** All that one run of a reconciler needs in order to write. */
export interface RunScope<T extends KubeObject = KubeObject> {
  /** The object at hand, as it is known now. */
  readonly object: Stored<T>;
  /** Its kind. */
  readonly type: ResourceType<T>;
  /** Its key, by which loops are told apart. */
  readonly key: string;
  /** The name under which fields are owned. */
  readonly fieldManager: string;
  /** Writes, and tells the cache, the journal and {@link watchForLoops} of it. */
  readonly client: RecordedClient;
  readonly journal: RunJournal;
  readonly memory: ApplyMemory;
  readonly hotLoops: HotLoops;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** The clock of the API server, for the times of conditions. */
  readonly serverClock: Clock;
  readonly random: Random;
  /** Called for what should be told to people: as an event about the object. It must not throw or wait. */
  report(report: WriteReport): void;
}

/** The name of the index by which owned objects are found. */
export const ownerIndex = "owner";

/** What is known of the objects of an owned kind: an informer with an index of their owners. */
export type OwnedInformer<T extends KubeObject = KubeObject> = Pick<Informer<T, typeof ownerIndex>, "get" | "by">;
