// The words that all builders share.

import type { DeepReadonly, KubeObject, OwnerReference } from "@homeostat/core";
import { annotations, apiVersion, kind, labels, manager, type Role } from "../api/identity.ts";
import type { LocustTest } from "../api/locust-test.ts";
import { nodeName } from "../api/names.ts";
import type { OperatorConfig } from "../settings/settings.ts";

/** A test as it is read from a cache. */
export type Test = DeepReadonly<LocustTest>;

/** What objects are made from. */
export interface Plan {
  readonly test: Test;
  readonly config: OperatorConfig;
  /** The number of the run, from 1. */
  readonly run: number;
}

/** An object to be created, with its name. */
export type Made<T extends KubeObject> = DeepReadonly<T> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** The name of a test. Objects that an API server has given out have one. */
export function nameOf({ metadata }: Test): string {
  return metadata.name ?? "";
}

/** The four labels by which everything made for a test is known. */
export function ownLabels(test: Test, role: Role): Record<string, string> {
  return {
    [labels.app]: nameOf(test),
    [labels.testName]: nameOf(test),
    [labels.podName]: nodeName(nameOf(test), role),
    [labels.managedBy]: manager,
  };
}

/** What makes a test the owner of an object, which then goes with it. */
export function ownerReference(test: Test): OwnerReference {
  const { name = "", uid = "" } = test.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The metadata of an object made for a test. */
export function metadataFor(
  { test, run }: Plan,
  { name, role, annotations: more = {} }: { name: string; role: Role; annotations?: Readonly<Record<string, string>> },
): Made<KubeObject>["metadata"] {
  return {
    name,
    namespace: test.metadata.namespace ?? "",
    labels: { ...ownLabels(test, role), [labels.component]: role },
    annotations: { ...more, [annotations.run]: String(run) },
    ownerReferences: [ownerReference(test)],
  };
}
