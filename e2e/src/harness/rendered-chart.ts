// Parses rendered Helm templates for the comparison with plain manifests.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { isRecord, type KubeObject } from "@homeostat/core";

/** The YAML parser of the client's kubeconfig loader. */
const yaml = createRequire(import.meta.resolve("@homeostat/client"))("yaml") as {
  parseAllDocuments(text: string): readonly { readonly errors: readonly Error[]; toJSON(): unknown }[];
};

/** Returns the objects in rendered templates. */
export function objectsIn(text: string): KubeObject[] {
  return yaml.parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object = document.toJSON();
    return isRecord(object) ? [object as unknown as KubeObject] : [];
  });
}

/** Returns objects by kind, namespace and name. Fails on duplicates. */
export function byName(objects: readonly KubeObject[]): Record<string, KubeObject> {
  const named = objects.map((object): [string, KubeObject] => {
    const { kind, metadata } = object;
    return [`${kind} ${metadata.namespace ?? ""}/${metadata.name}`, object];
  });
  assert.equal(new Set(named.map(([name]) => name)).size, objects.length, "duplicate objects");
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reports whether an object belongs to a hook: Helm creates it for a moment, and plain manifests do not have it. */
export function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.["helm.sh/hook"] !== undefined;
}

/** Removes the labels and annotations that Helm adds. */
export function withoutHelm(object: KubeObject): KubeObject {
  const { labels = {}, annotations = {}, ...metadata } = object.metadata;
  const { "helm.sh/chart": _chart, "app.kubernetes.io/managed-by": by, ...rest } = labels;
  assert.equal(by, "Helm", `${object.kind} ${metadata.name}`);
  const { "helm.sh/resource-policy": _policy, ...notes } = annotations;
  return {
    ...object,
    metadata: { ...metadata, labels: rest, ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }) },
  };
}
