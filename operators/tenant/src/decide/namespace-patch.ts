// What is written to the namespace of a tenant: only our own keys, and those that the tenant asks for.

import { type DeepReadonly, isEqual } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations, labels } from "../api/identity.ts";
import type { MadeNamespace } from "../build/namespace.ts";
import { isAdopted } from "../decide/deletion.ts";
import { ownerReferencesOf, type OwningTenant } from "../ownership/owned.ts";
import { recordedHash, stamp } from "../ownership/stamp.ts";
import type { Wanted } from "../build/resolved-tenant.ts";

type Texts = Readonly<Record<string, string>>;

/** What a namespace is to be. */
export interface Wish {
  readonly built: MadeNamespace;
  /** The labels and annotations in it that the tenant asks for. */
  readonly asked: Wanted["namespaceMetadata"];
  readonly tenant: OwningTenant;
}

/** A namespace as it is made. */
export function namespaceToCreate(wish: Wish): MadeNamespace {
  return stamp(withManagedKeys(wish), wish.tenant);
}

/** A change of a namespace. */
export interface NamespaceChange {
  /** A merge patch, on condition of the version that it was made for. */
  readonly patch: { readonly metadata: object };
  /** Whether somebody else has changed what is put right here. */
  readonly isDrift: boolean;
  readonly fields: readonly string[];
}

/** What has to be changed in a namespace of ours, or one that becomes so; undefined when nothing has to be. */
export function namespaceChange(
  found: DeepReadonly<Namespace>,
  { isAdopting, ...wish }: Wish & { readonly isAdopting: boolean },
): NamespaceChange | undefined {
  const isForeign = isAdopting || isAdopted(found);
  const { tenant } = wish;
  const marked = withManagedKeys(wish);
  const desired = stamp(
    isForeign
      ? {
          ...marked,
          metadata: {
            ...marked.metadata,
            annotations: { ...marked.metadata.annotations, [annotations.adopted]: "true" },
          },
        }
      : marked,
    tenant,
  );
  const dropped = droppedKeys(found, marked);
  const marks = changedTexts(found.metadata.labels, desired.metadata.labels, dropped.labels);
  const notes = changedTexts(found.metadata.annotations, desired.metadata.annotations, dropped.annotations);
  // What was there before the tenant is not to go with it.
  const wanted = isForeign ? [] : ownerReferencesOf(tenant);
  const current = found.metadata.ownerReferences ?? [];
  const references = [...current.filter(({ uid }) => uid !== tenant.metadata.uid), ...wanted];
  const isReferred = isEqual(current, references);
  if (marks === undefined && notes === undefined && isReferred) return undefined;
  const before = recordedHash(found);
  return {
    patch: {
      metadata: {
        resourceVersion: found.metadata.resourceVersion,
        ...(marks === undefined ? {} : { labels: marks }),
        ...(notes === undefined ? {} : { annotations: notes }),
        ...(isReferred ? {} : { ownerReferences: references }),
      },
    },
    isDrift: !isAdopting && (before === undefined || before === recordedHash(desired)),
    fields: [
      ...(marks === undefined ? [] : ["metadata.labels"]),
      ...(notes === undefined ? [] : ["metadata.annotations"]),
      ...(isReferred ? [] : ["metadata.ownerReferences"]),
    ],
  };
}

/** What has to be taken off a namespace that is given back; undefined when there is nothing. */
export function namespaceReturn(found: DeepReadonly<Namespace>): { readonly metadata: object } {
  const ours = (key: string): boolean => Object.values(labels).some((label) => label === key);
  const isOurLabel = (key: string): boolean =>
    ours(key) || key.startsWith("pod-security.kubernetes.io/") || key.startsWith("app.kubernetes.io/");
  const managed = managedKeys(found);
  const nulls = (keys: readonly string[]): Record<string, null> => Object.fromEntries(keys.map((key) => [key, null]));
  const kept: ReadonlySet<string> = new Set([annotations.allowAdoption]);
  const ourNotes: ReadonlySet<string> = new Set<string>(Object.values(annotations).filter((key) => !kept.has(key)));
  return {
    metadata: {
      resourceVersion: found.metadata.resourceVersion,
      labels: nulls(
        Object.keys(found.metadata.labels ?? {}).filter((key) => isOurLabel(key) || managed.labels.has(key)),
      ),
      annotations: nulls(
        Object.keys(found.metadata.annotations ?? {}).filter(
          (key) => ourNotes.has(key) || managed.annotations.has(key),
        ),
      ),
    },
  };
}

/** What differs, and what is to go, as a merge patch; undefined when nothing does. */
function changedTexts(
  live: Texts | undefined,
  wanted: Texts | undefined,
  dropped: readonly string[],
): Record<string, string | null> | undefined {
  const has = (key: string): boolean => live !== undefined && Object.hasOwn(live, key);
  const changes: (readonly [string, string | null])[] = [
    ...Object.entries(wanted ?? {}).filter(([key, value]) => !has(key) || live?.[key] !== value),
    ...dropped.filter(has).map((key) => [key, null] as const),
  ];
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

interface Keys {
  readonly labels: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
}

/** The keys that a namespace has because its tenant asked for them. */
function managedKeys({ metadata }: DeepReadonly<Namespace>): Keys {
  const notes = metadata.annotations ?? {};
  const text = Object.hasOwn(notes, annotations.managedKeys) ? (notes[annotations.managedKeys] ?? "") : "";
  const of = (kind: string): ReadonlySet<string> =>
    new Set(text.split(",").flatMap((entry) => (entry.startsWith(`${kind}:`) ? [entry.slice(kind.length + 1)] : [])));
  return { labels: of("label"), annotations: of("annotation") };
}

/** Keys that are there because the tenant asked for them once, and does not any more. */
function droppedKeys(
  found: DeepReadonly<Namespace>,
  { metadata }: MadeNamespace,
): { readonly labels: readonly string[]; readonly annotations: readonly string[] } {
  const managed = managedKeys(found);
  return {
    labels: [...managed.labels].filter((key) => !Object.hasOwn(metadata.labels, key)),
    annotations: [...managed.annotations, annotations.managedKeys].filter(
      (key) => !Object.hasOwn(metadata.annotations, key),
    ),
  };
}

/** Remembers which keys the tenant asks for, so that they can be taken off when it does not any more. */
function withManagedKeys({ built, asked }: Pick<Wish, "built" | "asked">): MadeNamespace {
  const keys = [
    ...Object.keys(asked.labels).map((key) => `label:${key}`),
    ...Object.keys(asked.annotations).map((key) => `annotation:${key}`),
  ].toSorted();
  if (keys.length === 0) return built;
  const notes = { ...built.metadata.annotations, [annotations.managedKeys]: keys.join(",") };
  return { ...built, metadata: { ...built.metadata, annotations: notes } };
}
