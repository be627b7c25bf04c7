import type { KubeObject } from "@homeostat/core";

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
