import { formatApiVersion, parseApiVersion } from "./api-version.ts";
import type { GroupVersionKind, GroupVersionResource } from "./kind.ts";
import type { Named } from "./key.ts";

/** Anything that says what kind it is of. */
export interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kind of an object, by its three names. Throws a `ParseError` when its `apiVersion` is none. */
export function gvkOf({ apiVersion, kind }: Typed): GroupVersionKind {
  return { ...parseApiVersion(apiVersion), kind };
}

/** Whether two kinds are the same in all three names. */
export function isSameGvk(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

/** A kind as Kubernetes prints it: `apps/v1, Kind=Deployment`. */
export function formatGvk({ kind, ...groupVersion }: GroupVersionKind): string {
  return `${formatApiVersion(groupVersion)}, Kind=${kind}`;
}

/** A resource as Kubernetes prints it: `apps/v1, Resource=deployments`. */
export function formatGvr({ plural, ...groupVersion }: GroupVersionResource): string {
  return `${formatApiVersion(groupVersion)}, Resource=${plural}`;
}

/** A kind without its version, as error messages name it: `Deployment.apps`. */
export function formatGroupKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** A resource without its version, as error messages and CRDs name it: `deployments.apps`. */
export function formatGroupResource({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** An object with the names that tell it from all others. */
export type Identified = Typed & Named & { readonly metadata: { readonly uid?: string } };

/**
 * Whether two objects are one and the same to the server: group, kind, namespace and name agree, and so do the uids
 * where both have one.
 *
 * Versions may differ: they are views of one object. With another uid it is another object, made after the first was
 * deleted.
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
