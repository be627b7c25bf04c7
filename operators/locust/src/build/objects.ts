import type { DeepReadonly, KubeObject } from "homeostat";
import { annotations, apiVersion, kind, labels, manager, nodeName, type Role } from "../api/names.ts";
import type { Test } from "../api/locust-test.ts";
import type { Settings } from "../settings/settings.ts";

/** Input of all builders. */
export interface BuildInput {
  readonly test: Test;
  readonly settings: Settings;
  /** The number of the run, starting at 1. */
  readonly run: number;
}

/** An object to create. */
export type Desired<T extends KubeObject> = DeepReadonly<T> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

export function nameOf({ metadata }: Test): string {
  return metadata.name ?? "";
}

/** Returns the four labels of everything that belongs to a role of a test. */
export function ownLabels(test: Test, role: Role): Record<string, string> {
  return {
    [labels.app]: nameOf(test),
    [labels.testName]: nameOf(test),
    [labels.podName]: nodeName(nameOf(test), role),
    [labels.managedBy]: manager,
  };
}

/** Builds the metadata of an owned object. */
export function metadataFor(
  { test, run }: BuildInput,
  { name, role, annotations: more = {} }: { name: string; role: Role; annotations?: Readonly<Record<string, string>> },
): Desired<KubeObject>["metadata"] {
  const { name: owner = "", uid = "", namespace = "" } = test.metadata;
  return {
    name,
    namespace,
    labels: { ...ownLabels(test, role), [labels.component]: role },
    annotations: { ...more, [annotations.run]: String(run) },
    ownerReferences: [{ apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: true }],
  };
}
