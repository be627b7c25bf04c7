import type { KubeObject, ResourceType, Scope } from "@homeostat/core";

/**
 * A resource of Kubernetes' own, with what an API server says of it in discovery.
 *
 * `T` is the type of its objects, `S` its scope.
 */
export interface BuiltInResource<T extends KubeObject = KubeObject, S extends Scope = Scope> extends ResourceType<T> {
  readonly scope: S;
  /** The name for one object in commands: `job`. */
  readonly singular: string;
  /** Abbreviations that commands accept: `deploy`. */
  readonly shortNames: readonly string[];
  /** Groups of resources that commands accept as one: `all`. */
  readonly categories: readonly string[];
  /** The parts with a path of their own: `status`, `scale`. */
  readonly subresources: readonly string[];
  /** What the API server can do with the resource; a permission names these. */
  readonly verbs: readonly string[];
}
