import type { FieldManager } from "../apply/field-manager.ts";
import type { User } from "../auth/user.ts";
import type { ServedKind } from "../resources/served-kind.ts";

/** One request to the registry: user, kind, object and subresource. Body and options are passed separately. */
export interface Call {
  readonly kind: ServedKind;
  /** Empty for cluster-scoped kinds and for lists of all namespaces. */
  readonly namespace: string;
  /** Empty for lists, and for a create whose name the server still has to generate. */
  readonly name: string;
  /** `status`, `scale`, ...; empty for the object itself. */
  readonly subresource: string;
  readonly user: User;
  /** The `User-Agent` header. It is the field manager when the request has no `fieldManager` parameter. */
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /**
   * Paths at which the body had an empty map or list. Decoding removes those, but some validation errors depend on them. Filled by
   * the code that reads the body.
   */
  readonly emptyPaths?: Set<string>;
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void;
}

/** Returns the group and resource that status messages name: `deployments.apps`. */
export function resourceOf({ kind }: Pick<Call, "kind">): { group: string; resource: string } {
  return { group: kind.resource.group, resource: kind.resource.plural };
}

/** Returns the kind that validation errors name. Its group is that of the stored version, as on kube-apiserver. */
export function groupKindOf({ kind: { resource } }: Pick<Call, "kind">): { group: string; kind: string } {
  return { group: (resource.isCustom ? undefined : resource.storage?.group) ?? resource.group, kind: resource.kind };
}

/** Returns the `apiVersion` in which a kind is served. */
export function apiVersionOf({ resource }: Pick<ServedKind, "resource">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** Reports whether the served version is the stored version, so that no conversion is needed. */
export function isServedAsStored(kind: ServedKind): boolean {
  return apiVersionOf(kind) === kind.storedApiVersion;
}

/**
 * Reports whether the stored bytes of an entry can be sent as they are. Entries written before the last change of a custom resource's
 * schema cannot: they may lack a new default or hold a field that is now pruned.
 */
export function isShownAsStored(kind: ServedKind, { revision }: { readonly revision: number }): boolean {
  return isServedAsStored(kind) && revision >= (kind.identicalSinceRevision ?? 0);
}

/** Calls `work` with the field manager of the request's endpoint. `work` may run more than once; see `ServedKind.withConversions`. */
export async function withManager<T>(
  { kind, subresource }: Pick<Call, "kind" | "subresource">,
  work: (manager: FieldManager) => T,
): Promise<T> {
  const run = (): T => work(kind.fieldManager(subresource));
  return kind.withConversions === undefined ? run() : kind.withConversions(run);
}
