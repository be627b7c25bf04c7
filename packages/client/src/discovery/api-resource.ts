import type { ResourceType } from "@homeostat/core";
import type { UntypedObject } from "../api/objects.ts";

/** A kind of object that a server has, with all that it says of it. Stands for the kind in every call of a client. */
export interface ApiResource extends ResourceType<UntypedObject> {
  /** The name for one object in commands: `deployment`. */
  readonly singular: string;
  /** Abbreviations that commands accept: `deploy`. */
  readonly shortNames: readonly string[];
  /** Groups of resources that commands accept as one: `all`. */
  readonly categories: readonly string[];
  /** What the server can do with it: `get`, `list`, `watch` and so on. */
  readonly verbs: readonly string[];
  /** The parts with a path of their own: `status`, `scale`. */
  readonly subresources: readonly string[];
}

/** What a server has. */
export interface Discovery {
  /** Every kind in every version, groups in the server's order and in each group the preferred version first. */
  readonly resources: readonly ApiResource[];
  /** Groups and versions of which the server could not say what they have, with the reason: `metrics.k8s.io/v1beta1`. */
  readonly failures: ReadonlyMap<string, string>;
}
