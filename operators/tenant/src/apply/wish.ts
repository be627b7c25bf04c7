import type { KubeObject, ResourceType, Stored } from "@homeostat/core";
import type { RecordedClient } from "@homeostat/runtime";
import type { OwningTenant } from "../ownership/owned.ts";
import type { WantedObject } from "../ownership/stamp.ts";

/** What is needed to apply the objects of one tenant. */
export interface ApplyTools {
  readonly tenant: OwningTenant;
  readonly client: RecordedClient;
  readonly signal: AbortSignal;
}

/** One object that is wanted. */
export interface Wish {
  readonly type: ResourceType;
  readonly object: WantedObject;
  /** What the cache has of it; undefined when nothing, or when the kind is not followed. */
  readonly known: Stored<KubeObject> | undefined;
  /** Whether that is what the server itself has just answered. Default: false. */
  readonly isFresh?: boolean | undefined;
}
