// Labels, annotations and owner references of the objects of a sandbox.

import { setControllerReference } from "@homeostat/core";
import type { DeepReadonly, KubeObject } from "homeostat";
import { annotations, fieldManager, keyPrefix, labels } from "../api/identity.ts";
import type { CachedSandbox } from "../api/sandbox.ts";

/** A desired object of a sandbox. */
export type ChildObject<T extends KubeObject = KubeObject> = DeepReadonly<T> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** Annotations that store the state of a fork on its Deployment. A restarted operator continues from them. */
export const forkAnnotations = {
  templateHash: annotations.templateHash,
  /** The fork as it was applied last, packed. */
  storedFork: `${keyPrefix}stored-fork`,
  /** The fork before a rebase whose pods have not become ready yet, packed. */
  previousFork: `${keyPrefix}previous-fork`,
  /** Time of the last rebase. */
  rebasedAt: `${keyPrefix}rebased-at`,
  /** Hash of the baseline to which the last rebase failed. */
  failedRebase: `${keyPrefix}failed-rebase`,
} as const;

/** A sandbox and one of its entries, for labels. */
export interface EntryIdentity {
  readonly sandbox: CachedSandbox;
  /** Name of the entry. */
  readonly entry: string;
  readonly routingKey: string;
}

/** Returns the labels that every object of an entry has. No patch can change them. */
export function ownLabels({ sandbox, entry, routingKey }: EntryIdentity): Record<string, string> {
  return {
    [labels.managedBy]: fieldManager,
    [labels.sandbox]: sandbox.metadata.name ?? "",
    [labels.sandboxUid]: sandbox.metadata.uid ?? "",
    [labels.workload]: entry,
    [labels.routingKey]: routingKey,
  };
}

/** Returns the labels of an object of an entry: those of the spec and those of the operator, which take precedence. */
export function objectLabels(identity: EntryIdentity): Record<string, string> {
  return { ...identity.sandbox.spec.labels, ...ownLabels(identity) };
}

/** Reports whether only the operator sets a label or annotation. */
export function isOwnKey(key: string): boolean {
  return key.startsWith(keyPrefix);
}

/**
 * Returns an object with an owner reference to the sandbox if both are in one namespace. The garbage collector would not find an owner in another
 * namespace and would delete the object. The finalizer of the sandbox deletes objects in other namespaces.
 */
export function withOwner<T extends ChildObject>(sandbox: CachedSandbox, object: T): T {
  return object.metadata.namespace === sandbox.metadata.namespace ? setControllerReference(sandbox, object) : object;
}
