import type { KubeObject, ResourceType } from "@homeostat/core";

/**
 * A part of an object with a path of its own: `status`, `scale`, and for some kinds `approval`, `finalize`, `resize`,
 * `ephemeralcontainers`. All of them show the whole object, save `scale`.
 */
export type Subresource =
  | "status"
  | "scale"
  | "approval"
  | "finalize"
  | "resize"
  | "ephemeralcontainers"
  // Any other text, without losing the suggestions above.
  | (string & {});

/** How many there are and should be of what an object runs, in the same form for every kind that has it. */
export interface Scale extends KubeObject {
  apiVersion: "autoscaling/v1";
  kind: "Scale";
  spec?: { replicas?: number };
  status?: {
    replicas: number;
    /** Chooses the pods that are counted, as text. */
    selector?: string;
  };
}

/** The kind that a subresource is shown as. */
export function typeOfSubresource<T extends KubeObject>(
  type: ResourceType<T>,
  subresource: Subresource | undefined,
): ResourceType<T | Scale> {
  if (subresource !== "scale") return type;
  const { plural, scope } = type;
  return { group: "autoscaling", version: "v1", kind: "Scale", plural, scope };
}
