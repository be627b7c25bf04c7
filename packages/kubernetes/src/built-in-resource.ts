import type { KubeObject, ResourceType, Scope } from "@homeostat/core";

/**
 * A built-in resource with the properties that an API server reports in discovery.
 *
 * `T` is the type of its objects, `S` its scope.
 */
export interface BuiltInResource<T extends KubeObject = KubeObject, S extends Scope = Scope> extends ResourceType<T> {
  readonly scope: S;
  /** Singular name for commands: `job`. */
  readonly singular: string;
  /** Abbreviations for commands: `deploy`. */
  readonly shortNames: readonly string[];
  /** Names that stand for several resources in commands: `all`. */
  readonly categories: readonly string[];
  /** Subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
  /** Verbs that the API server supports; RBAC rules use the same names. */
  readonly verbs: readonly string[];
}
