import type { KubeObject } from "@homeostat/core";
import { metadataOf } from "./metadata.ts";
import type { Installation } from "./options.ts";

/** The names of an installation, from which extras are built. */
export interface InstallationContext {
  /** The name of the installation. */
  readonly instance: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The labels that select its pods. */
  readonly podLabels: Readonly<Record<string, string>>;
}

/** Optional objects that are installed with an operator, such as roles for users or alerts. */
export interface Extra {
  /** The description in `--help` and `values.yaml`, in lowercase and without a period. */
  readonly help: string;
  /** True if they are installed by default. */
  readonly default: boolean;
  /** Returns the objects. The labels of the installation are added to them. */
  objects(place: InstallationContext): readonly KubeObject[];
}

/** Extras of an operator, by name: `tenantRoles`. */
export interface Extras {
  readonly [name: string]: Extra;
}

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
