// The words that all builders share.

import type { DeepReadonly, KubeObject } from "@homeostat/core";
import { type Component, fieldManager, labels, manager } from "../api/identity.ts";
import type { Wanted } from "./resolved-tenant.ts";

/** An object to be applied in the namespace of a tenant, before it is marked as the tenant's. */
export type Made<T extends KubeObject = KubeObject> = DeepReadonly<T> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** What `app` says of the pods of a component. */
export const apps = { redis: "redis", server: "neurallog-server" } as const;

/** By these labels Services, workloads and policies find pods. They never change. */
export function selectorOf(wanted: Pick<Wanted, "name">, component: "redis" | "server"): Record<string, string> {
  return { [labels.app]: apps[component], [labels.tenant]: wanted.name };
}

/** The labels of everything that is made for a tenant. */
export function labelsOf({ name }: Pick<Wanted, "name">, component?: Component): Record<string, string> {
  return {
    [labels.tenant]: name,
    [labels.managedBy]: manager,
    "app.kubernetes.io/instance": name,
    "app.kubernetes.io/part-of": "neurallog",
    "app.kubernetes.io/managed-by": fieldManager,
    ...(component !== undefined && { [labels.component]: component, "app.kubernetes.io/component": component }),
    ...((component === "redis" || component === "server") && { "app.kubernetes.io/name": apps[component] }),
  };
}

/** The labels of a workload and of its pods. */
export function workloadLabels(wanted: Pick<Wanted, "name">, component: "redis" | "server"): Record<string, string> {
  return { ...labelsOf(wanted, component), ...selectorOf(wanted, component) };
}

/** The metadata of an object in the namespace of a tenant. */
export function metadataOf(
  wanted: Pick<Wanted, "name" | "namespace">,
  { name, component }: { readonly name: string; readonly component: Component },
): Made["metadata"] {
  return { name, namespace: wanted.namespace, labels: labelsOf(wanted, component) };
}
