import type { ResourceType } from "@homeostat/core";
import type { UntypedObject } from "../api/objects.ts";

/** A kind that a server serves, as described by discovery. It can be passed to every call of a client. */
export interface ApiResource extends ResourceType<UntypedObject> {
  /** The singular name in commands: `deployment`. */
  readonly singular: string;
  /** Short names in commands: `deploy`. */
  readonly shortNames: readonly string[];
  /** Names in commands for groups of resources: `all`. */
  readonly categories: readonly string[];
  /** The supported verbs: `get`, `list`, `watch` and so on. */
  readonly verbs: readonly string[];
  /** The subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
}

/** The result of discovery. */
export interface Discovery {
  /** Every kind in every version. Groups are in the order of the server; in each group the preferred version comes first. */
  readonly resources: readonly ApiResource[];
  /** Reasons of failed discovery, by group and version: `metrics.k8s.io/v1beta1`. */
  readonly failures: ReadonlyMap<string, string>;
}
