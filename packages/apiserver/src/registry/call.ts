import type { FieldManager } from "../apply/field-manager.ts";
import type { User } from "../auth/user.ts";
import type { ServedKind } from "./served-kind.ts";

/** Who asks for what: everything a request tells beside its body and its options. */
export interface Call {
  readonly kind: ServedKind;
  /** Empty for kinds without one, and for lists of all namespaces. */
  readonly namespace: string;
  /** Empty when no single object is meant, or when it is not known yet. */
  readonly name: string;
  /** `status`, `scale` and the like; empty for the object itself. */
  readonly subresource: string;
  readonly user: User;
  /** The `User-Agent` header, which names the manager of fields where nobody else does. */
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Where the body said an empty map or list, which leaves no trace in the object; told by who reads the body. */
  readonly emptied?: Set<string>;
  /** Tells the caller something without refusing. */
  readonly warn: (text: string) => void;
}

/** What the messages about a call name: `deployments.apps`. */
export function resourceOf({ kind }: Pick<Call, "kind">): { group: string; resource: string } {
  return { group: kind.resource.group, resource: kind.resource.plural };
}

/** What the messages about wrong fields name: the kind, in the group that it is stored in. */
export function groupKindOf({ kind: { resource } }: Pick<Call, "kind">): { group: string; kind: string } {
  return { group: (resource.isCustom ? undefined : resource.storage?.group) ?? resource.group, kind: resource.kind };
}

/** The `apiVersion` that a kind is served in. */
export function apiVersionOf({ resource }: Pick<ServedKind, "resource">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** Whether objects of a kind are served just as they are stored. */
export function isServedAsStored(kind: ServedKind): boolean {
  return apiVersionOf(kind) === kind.storedApiVersion;
}

/** Whether the bytes of an entry are what this version of its kind shows: some custom resources are older than their schema. */
export function isShownAsStored(kind: ServedKind, { revision }: { readonly revision: number }): boolean {
  return isServedAsStored(kind) && revision >= (kind.asStoredSince ?? 0);
}

/** Works with the field manager of a call's endpoint; see `ServedKind.withConversions`. */
export async function withManager<T>(
  { kind, subresource }: Pick<Call, "kind" | "subresource">,
  work: (manager: FieldManager) => T,
): Promise<T> {
  const run = (): T => work(kind.fieldManager(subresource));
  return kind.withConversions === undefined ? run() : kind.withConversions(run);
}
