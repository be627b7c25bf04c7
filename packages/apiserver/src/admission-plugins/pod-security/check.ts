/** A violation of a check: a short reason, and details, which may be empty. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** The metadata and spec of a pod or of a pod template. */
export interface PodLike {
  readonly metadata: unknown;
  readonly spec: unknown;
}

/** Checks one aspect of a pod. */
export type PodCheck = (pod: PodLike) => Violation | undefined;

/**
 * A check of the Pod Security Standards. Its definition may differ by version: each applies from a minor release of
 * Kubernetes 1 on.
 */
export interface SecurityCheck {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** In ascending order of `since`. */
  readonly versions: readonly { readonly since: number; readonly check: PodCheck }[];
  /** ID of the baseline check that this check replaces. */
  readonly overrides?: string;
}
