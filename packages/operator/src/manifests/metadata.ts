import type { ObjectMeta } from "@homeostat/core";
import type { Installation } from "../definition/installation.ts";

/** Returns the labels that select the pods of an installation. They must never change: the selector of a Deployment is immutable. */
export function selectorLabels({ operator, instance }: Installation): Record<string, string> {
  return { "app.kubernetes.io/name": operator.name, "app.kubernetes.io/instance": instance };
}

/** Returns the labels of every object of an installation. */
export function labelsOf(installation: Installation): Record<string, string> {
  return {
    ...selectorLabels(installation),
    "app.kubernetes.io/version": installation.operator.version.replace("+", "_"),
    ...installation.options.labels,
  };
}

/** Returns the metadata of an object, with the labels and annotations of the installation. */
export function metadataOf(
  installation: Installation,
  { name, namespace, labels = {}, annotations = {} }: Pick<ObjectMeta, "name" | "namespace" | "labels" | "annotations">,
): ObjectMeta {
  const allAnnotations = { ...installation.options.annotations, ...annotations };
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labelsOf(installation), ...labels },
    ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
  };
}
