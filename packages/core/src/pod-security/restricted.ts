// Security contexts that satisfy the restricted level of the Pod Security Standards. A pod needs both: the level checks some fields of
// the pod and others of each container.

/** The smallest security context of a pod that the restricted level accepts. Images must run as a numeric user other than 0. */
export const restrictedPodContext = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } as const;

/** The smallest security context of a container that the restricted level accepts. */
export const restrictedContainerContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
} as const;
