import { formatApiVersion, parseApiVersion } from "./api-version.ts";
import type { GroupVersionKind, GroupVersionResource } from "./kind.ts";
import type { Named } from "./key.ts";

/** An object with its kind. */
export interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns the group, version and kind of an object. Throws a `ParseError` if its `apiVersion` is invalid. */
export function gvkOf({ apiVersion, kind }: Typed): GroupVersionKind {
  return { ...parseApiVersion(apiVersion), kind };
}

/** Reports whether two kinds have the same group, version and kind. */
export function isSameGvk(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

/** Formats a kind as Kubernetes does: `apps/v1, Kind=Deployment`. */
export function formatGvk({ kind, ...groupVersion }: GroupVersionKind): string {
  return `${formatApiVersion(groupVersion)}, Kind=${kind}`;
}

/** Formats a resource as Kubernetes does: `apps/v1, Resource=deployments`. */
export function formatGvr({ plural, ...groupVersion }: GroupVersionResource): string {
  return `${formatApiVersion(groupVersion)}, Resource=${plural}`;
}

/** Formats a kind without its version, as in error messages of Kubernetes: `Deployment.apps`. */
export function formatGroupKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** Formats a resource without its version, as in error messages and names of CRDs: `deployments.apps`. */
export function formatGroupResource({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** An object with its kind, name, namespace and UID. */
export type Identified = Typed & Named & { readonly metadata: { readonly uid?: string } };

/**
 * Reports whether two objects are the same object of the server: they have the same group, kind, namespace and name, and the same
 * UID if both have one.
 *
 * API versions may differ, because they are representations of one object. A different UID means that the object was deleted and
 * created again.
 */
export function isSameObject(a: Identified, b: Identified): boolean {
  const { metadata: left } = a;
  const { metadata: right } = b;
  return (
    a.kind === b.kind &&
    left.name === right.name &&
    (left.namespace ?? "") === (right.namespace ?? "") &&
    (left.uid === undefined || right.uid === undefined || left.uid === right.uid) &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  );
}
