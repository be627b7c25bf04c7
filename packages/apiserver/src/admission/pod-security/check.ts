/** What a check has against a pod: in short, and in detail where there is more to say. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** The metadata and spec of a pod, or of the template of one. */
export interface PodLike {
  readonly metadata: unknown;
  readonly spec: unknown;
}

/** Looks at one thing in a pod. */
export type PodCheck = (pod: PodLike) => Violation | undefined;

/** A check as the standards have it: since which minor release of Kubernetes 1 it looks how. */
export interface SecurityCheck {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** In rising order of `since`. */
  readonly versions: readonly { readonly since: number; readonly check: PodCheck }[];
  /** The check of the weaker standard that it stands in for. */
  readonly overrides?: string;
}
