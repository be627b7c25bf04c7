import type { ObjectMeta } from "@homeostat/core";
import type { Installation } from "./options.ts";

/** The labels by which the pods of an installation are found. They never change: a Deployment could not follow. */
export function selectorLabels({ operator, instance }: Installation): Record<string, string> {
  return { "app.kubernetes.io/name": operator.name, "app.kubernetes.io/instance": instance };
}

/** The labels of every object of an installation. */
export function labelsOf(installation: Installation): Record<string, string> {
  return {
    ...selectorLabels(installation),
    "app.kubernetes.io/version": installation.operator.version.replace("+", "_"),
    ...installation.options.labels,
  };
}

/** The metadata of an object of an installation; without a namespace for objects that have none. */
export function metadataOf(
  installation: Installation,
  { name, namespace, labels = {}, annotations = {} }: Pick<ObjectMeta, "name" | "namespace" | "labels" | "annotations">,
): ObjectMeta {
  const notes = { ...installation.options.annotations, ...annotations };
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labelsOf(installation), ...labels },
    ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
  };
}
