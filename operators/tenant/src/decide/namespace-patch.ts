// The metadata that the operator writes to a tenant's namespace: only its own keys and those of `spec.namespaceMetadata`.

import type { DeepReadonly } from "homeostat";
import { desired, type Stored } from "homeostat";
import { isEqual, podSecurityLabelPrefix } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations, labels } from "../api/identity.ts";
import { ownership } from "../api/ownership.ts";
import type { Tenant } from "../api/tenant.ts";
import { type DesiredNamespace, namespace as buildNamespace } from "../build/namespace.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { isAdopted } from "./deletion.ts";

type Texts = Readonly<Record<string, string>>;

export function namespaceToCreate(resolved: ResolvedTenant, tenant: Stored<Tenant>): DeepReadonly<Namespace> {
  const built = withManagedKeys(resolved);
  const { metadata } = ownership.stamp(desired(Namespace, built), tenant);
  return { ...built, metadata };
}

/** A merge patch of a namespace, conditional on the version it was computed for. */
export interface NamespacePatch {
  readonly merge: { readonly metadata: object };
  /** True if another client caused the difference, and not a change of the desired metadata. */
  readonly isDrift: boolean;
  readonly fields: readonly string[];
}

/** Returns the patch that an owned namespace, or one to adopt, needs; undefined when it needs none. */
export function namespacePatch(
  observed: DeepReadonly<Namespace>,
  resolved: ResolvedTenant,
  { tenant, isAdopting }: { readonly tenant: Stored<Tenant>; readonly isAdopting: boolean },
): NamespacePatch | undefined {
  const { metadata } = observed;
  const isForeign = isAdopting || isAdopted(observed);
  const built = withManagedKeys(resolved);
  const marked = isForeign ? annotated(built, annotations.adopted, "true") : built;
  const stamped = ownership.stamp(desired(Namespace, marked), tenant);
  const removed = removedKeys(observed, built);
  const changedLabels = changes(metadata.labels, stamped.metadata.labels, removed.labels);
  const changedAnnotations = changes(metadata.annotations, stamped.metadata.annotations, removed.annotations);
  const current = metadata.ownerReferences ?? [];
  // An adopted namespace gets no owner reference: the garbage collector would delete it with the tenant.
  const ownerReferences = [
    ...current.filter(({ uid }) => uid !== tenant.metadata.uid),
    ...(isForeign ? [] : (stamped.metadata.ownerReferences ?? [])),
  ];
  const changed = {
    ...(changedLabels === undefined ? {} : { labels: changedLabels }),
    ...(changedAnnotations === undefined ? {} : { annotations: changedAnnotations }),
    ...(isEqual(current, ownerReferences) ? {} : { ownerReferences }),
  };
  const fields = Object.keys(changed).map((key) => `metadata.${key}`);
  if (fields.length === 0) return undefined;
  const before = ownership.desiredHashOf(observed);
  return {
    merge: { metadata: { resourceVersion: metadata.resourceVersion, ...changed } },
    isDrift: !isAdopting && (before === undefined || before === ownership.desiredHashOf(stamped)),
    fields,
  };
}

const ownLabels: ReadonlySet<string> = new Set(Object.values(labels));
const ownAnnotations: ReadonlySet<string> = new Set(
  Object.values(annotations).filter((key) => key !== annotations.allowAdoption),
);
const ownLabelDomains = [podSecurityLabelPrefix, "app.kubernetes.io/"];

/** Returns the merge patch that removes all labels and annotations of the operator from an adopted namespace. */
export function namespaceReturn(observed: DeepReadonly<Namespace>): { readonly metadata: object } {
  const { resourceVersion, labels: liveLabels = {}, annotations: liveAnnotations = {} } = observed.metadata;
  const managed = managedKeys(observed);
  const isOwnLabel = (key: string): boolean =>
    ownLabels.has(key) || ownLabelDomains.some((domain) => key.startsWith(domain)) || managed.labels.has(key);
  const isOwnAnnotation = (key: string): boolean => ownAnnotations.has(key) || managed.annotations.has(key);
  const nulls = (texts: Texts, isOwn: (key: string) => boolean): Record<string, null> =>
    Object.fromEntries(Object.keys(texts).flatMap((key) => (isOwn(key) ? [[key, null]] : [])));
  return {
    metadata: {
      resourceVersion,
      labels: nulls(liveLabels, isOwnLabel),
      annotations: nulls(liveAnnotations, isOwnAnnotation),
    },
  };
}

/** Returns the part of a merge patch for one map; undefined if nothing differs. */
function changes(
  live: Texts = {},
  desired: Texts = {},
  removed: readonly string[],
): Record<string, string | null> | undefined {
  const has = (key: string): boolean => Object.hasOwn(live, key);
  const changed: (readonly [string, string | null])[] = [
    ...Object.entries(desired).filter(([key, value]) => !has(key) || live[key] !== value),
    ...removed.filter(has).map((key) => [key, null] as const),
  ];
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Returns the keys that the operator set because of `spec.namespaceMetadata`, as recorded in an annotation. */
function managedKeys({ metadata }: DeepReadonly<Namespace>): Record<"labels" | "annotations", ReadonlySet<string>> {
  const notes = metadata.annotations ?? {};
  const text = Object.hasOwn(notes, annotations.managedKeys) ? (notes[annotations.managedKeys] ?? "") : "";
  const of = (prefix: string): ReadonlySet<string> =>
    new Set(text.split(",").flatMap((entry) => (entry.startsWith(prefix) ? [entry.slice(prefix.length)] : [])));
  return { labels: of("label:"), annotations: of("annotation:") };
}

/** Returns the recorded keys that are no longer desired. */
function removedKeys(
  observed: DeepReadonly<Namespace>,
  { metadata }: DesiredNamespace,
): Record<"labels" | "annotations", readonly string[]> {
  const managed = managedKeys(observed);
  return {
    labels: [...managed.labels].filter((key) => !Object.hasOwn(metadata.labels, key)),
    annotations: [...managed.annotations, annotations.managedKeys].filter(
      (key) => !Object.hasOwn(metadata.annotations, key),
    ),
  };
}

/** Records the keys of `spec.namespaceMetadata` in an annotation, so that they can be removed later. */
function withManagedKeys(resolved: ResolvedTenant): DesiredNamespace {
  const built = buildNamespace(resolved);
  const keys = [
    ...Object.keys(resolved.namespaceMetadata.labels).map((key) => `label:${key}`),
    ...Object.keys(resolved.namespaceMetadata.annotations).map((key) => `annotation:${key}`),
  ];
  return keys.length === 0 ? built : annotated(built, annotations.managedKeys, keys.toSorted().join(","));
}

function annotated(namespace: DesiredNamespace, key: string, value: string): DesiredNamespace {
  const { metadata } = namespace;
  return { ...namespace, metadata: { ...metadata, annotations: { ...metadata.annotations, [key]: value } } };
}
