import type { KubeObject } from "@homeostat/core";
import { metadataOf } from "./metadata.ts";
import type { Installation } from "./options.ts";

/** Where an operator is installed, for objects that are installed with it. */
export interface InstallationPlace {
  /** The name of the installation. */
  readonly instance: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The labels that its pods are found by. */
  readonly podLabels: Readonly<Record<string, string>>;
}

/** Objects that are installed with an operator and that it can do without: roles for people, alerts. */
export interface Extra {
  /** What they are for, in a few words. */
  readonly help: string;
  /** Whether they are installed where nobody says. */
  readonly default: boolean;
  /** Makes them. Labels are added to those that they have. */
  objects(place: InstallationPlace): readonly KubeObject[];
}

/** The extras of an operator, by name: `tenantRoles`. */
export interface Extras {
  readonly [name: string]: Extra;
}

/** The objects of one extra, with the labels of the installation. */
export function extraManifests(installation: Installation, extra: Extra): KubeObject[] {
  const { instance, namespace, serviceAccount, operator } = installation;
  const podLabels = { "app.kubernetes.io/name": operator.name, "app.kubernetes.io/instance": instance };
  return extra.objects({ instance, namespace, serviceAccount, podLabels }).map((object) => ({
    ...object,
    metadata: { ...object.metadata, ...metadataOf(installation, object.metadata) },
  }));
}

/** The objects of all extras that are wanted. */
export function wantedExtras(installation: Installation): KubeObject[] {
  const { operator, options } = installation;
  return Object.entries(operator.extras).flatMap(([name, extra]) =>
    (options.extras?.[name] ?? extra.default) ? extraManifests(installation, extra) : [],
  );
}
