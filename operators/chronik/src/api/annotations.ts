// Annotations of clusters and of their objects. Boolean annotations are true only for the exact text `true`.

export const annotations = {
  /** On a cluster, set by a user: `true` stops all writes except the status. */
  pause: "chronik.stream/pause-reconciliation",
  /** On a cluster, set by a user: a new text restarts all pods once. */
  restart: "chronik.stream/restart",
  /** On a cluster, set by a user: comma-separated components that `restart` applies to. Default: all. */
  restartComponents: "chronik.stream/restart-components",
  /** On a cluster, set by a user: `true` scales down without drain. */
  skipScaleDownCheck: "chronik.stream/skip-scaledown-check",
  /** On a cluster, set by a user: the pod that the next restart does not check with the component. */
  skipComponentCheck: "chronik.stream/skip-component-check",
  /** On a cluster, set by a user: the revision whose canary is promoted before its bake time has passed. */
  canaryApprove: "chronik.stream/canary-approve",
  /** On a cluster, set by a user: `true` makes it roll before all others after an upgrade of the operator. */
  canaryCluster: "chronik.stream/canary-cluster",
  /** On a cluster, set by a user: `true` blocks deletion. */
  deletionProtection: "chronik.stream/deletion-protection",
  /** On a cluster, set by a user: `true` deletes without stopping the components in order. */
  forceDelete: "chronik.stream/force-delete",
  /** On a cluster, set by a user: `owned`, `always` or `never`; see `apply-force.ts`. */
  applyForce: "chronik.stream/apply-force",
  /** On a cluster, set by a user: a new value requests a reconcile. */
  reconcileAt: "chronik.stream/reconcile-at",
  /** On a pod, set by a user: `true` restarts the pod under the gates of a rolling update. */
  manualRestart: "chronik.stream/manual-restart",
  /** On a pod, set by a user: `true` deletes the pod and its claim, so that the member is rebuilt. */
  deletePodAndClaim: "chronik.stream/delete-pod-and-pvc",
  /** On an object of another owner, set by a user: the name of the cluster that may adopt it. */
  adopt: "chronik.stream/adopt",
  /** On pod templates: digests of the configuration and of the referenced Secrets. */
  configHash: "chronik.stream/config-hash",
  secretHash: "chronik.stream/secret-hash",
  /** On a claim: the time at which its member was removed by a scale-down. */
  retiredAt: "chronik.stream/retired-at",
  /** On a retained claim of a controller: the number of controllers of the deleted cluster. */
  retainedControllers: "chronik.stream/retained-controllers",
  /** On search Deployments: digest of the pod template without the color. */
  templateHash: "chronik.stream/template-hash",
  /** On the ConfigMap of the controllers: all controllers have been ready together once. */
  bootstrapped: "chronik.stream/bootstrapped",
  /** On the search Service of blue-green clusters: the time at which it was switched to its current color. */
  switchedAt: "chronik.stream/switched-at",
} as const;

/** The prefix of annotations that users cannot set on pods. */
export const annotationPrefix = "chronik.stream/";

/** Reports whether a boolean annotation is set. */
export function isAnnotated(
  metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined },
  annotation: string,
): boolean {
  return metadata.annotations?.[annotation] === "true";
}
