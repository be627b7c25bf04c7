import type { KubeObject } from "@homeostat/core";
import type { Extra } from "../installation/extra.ts";
import { metadataOf } from "./metadata.ts";
import type { Installation } from "../definition/installation.ts";

/** Returns the objects of one extra, with the labels of the installation. */
export function extraManifests(installation: Installation, extra: Extra): KubeObject[] {
  const { instance, namespace, serviceAccount, operator } = installation;
  const podLabels = { "app.kubernetes.io/name": operator.name, "app.kubernetes.io/instance": instance };
  return extra.objects({ instance, namespace, serviceAccount, podLabels }).map((object) => ({
    ...object,
    metadata: { ...object.metadata, ...metadataOf(installation, object.metadata) },
  }));
}

/** Returns the objects of all extras that the options or their defaults enable. */
export function enabledExtras(installation: Installation): KubeObject[] {
  const { operator, options } = installation;
  return Object.entries(operator.extras).flatMap(([name, extra]) =>
    (options.extras?.[name] ?? extra.default) ? extraManifests(installation, extra) : [],
  );
}
