// Metadata that all builders share.

import type { DeepReadonly, KubeObject } from "homeostat";
import type { Component } from "../api/identity.ts";
import { objectLabels } from "../api/labels.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** A desired object in the namespace of the cluster, without its kind and the marks of its owner. */
export type ChildObject<T extends KubeObject = KubeObject> = Omit<DeepReadonly<T>, "apiVersion" | "kind"> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** Builds the metadata of an object of a component, or of an object that all components share. */
export function metadataOf(
  { name: cluster, namespace, version }: ResolvedCluster,
  {
    name,
    component,
    annotations = {},
  }: {
    readonly name: string;
    readonly component?: Component;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  },
): ChildObject["metadata"] {
  return {
    name,
    namespace,
    labels: objectLabels(cluster, { component, version }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}
