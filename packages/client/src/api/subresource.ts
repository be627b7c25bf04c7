import type { KubeObject, ResourceType } from "@homeostat/core";

/**
 * A subresource: `status`, `scale`, and for some kinds `approval`, `finalize`, `resize`, `ephemeralcontainers`. All of them
 * return the whole object, except `scale`.
 */
export type Subresource =
  | "status"
  | "scale"
  | "approval"
  | "finalize"
  | "resize"
  | "ephemeralcontainers"
  // Any other string, while editors still suggest the ones above.
  | (string & {});

/** The scale subresource: desired and observed replicas, in the same form for every kind. */
export interface Scale extends KubeObject {
  apiVersion: "autoscaling/v1";
  kind: "Scale";
  spec?: { replicas?: number };
  status?: {
    replicas: number;
    /** The label selector of the counted pods, in string form. */
    selector?: string;
  };
}

/** Returns the kind in which a subresource is read and written. */
export function typeOfSubresource<T extends KubeObject>(
  type: ResourceType<T>,
  subresource: Subresource | undefined,
): ResourceType<T | Scale> {
  if (subresource !== "scale") return type;
  const { plural, scope } = type;
  return { group: "autoscaling", version: "v1", kind: "Scale", plural, scope };
}
