// The limit on simultaneous rollouts after an upgrade of the operator.
//
// A new version of the operator may build other pod templates, and then every pod of every cluster is outdated at the same moment. One canary
// cluster rolls first. When it is healthy with the new version, at most `rolloutsMax` clusters roll at the same time, in the order of their
// names. Rollouts that a user requested by a change of the spec do not count and do not wait.

/** A cluster as the rollout limit sees it. */
export interface LimitedCluster {
  /** Namespace and name. */
  readonly key: string;
  /** Version of the operator that completed the last rollout; undefined for a cluster that was never complete. */
  readonly operatorVersion: string | undefined;
  /** True if a user has chosen it as the canary cluster. */
  readonly isCanary: boolean;
  /** True if its phase is Running. */
  readonly isRunning: boolean;
  /** True if pods are outdated or restarting. */
  readonly isRolling: boolean;
}

/** Input of {@link rolloutPermission}. */
export interface RolloutLimitInput {
  readonly self: LimitedCluster;
  /** True if the spec has changed since the last completed rollout. */
  readonly isSpecChanged: boolean;
  /** All clusters of this operator, including this one. */
  readonly clusters: readonly LimitedCluster[];
  readonly operatorVersion: string;
  readonly rolloutsMax: number;
}

export type RolloutPermission =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly waitsFor: string; readonly message: string };

const allowed: RolloutPermission = { isAllowed: true };

/** Decides whether a cluster may roll now. */
export function rolloutPermission(input: RolloutLimitInput): RolloutPermission {
  const { self, isSpecChanged, clusters, operatorVersion, rolloutsMax } = input;
  // A cluster that was never complete has no clients to protect.
  if (isSpecChanged || self.operatorVersion === undefined || self.operatorVersion === operatorVersion) return allowed;
  const waiting = clusters.filter(
    (one) => one.operatorVersion !== undefined && one.operatorVersion !== operatorVersion,
  );
  // If a user has chosen canary clusters, one of them must prove the version: a new cluster without data does not.
  const isChosen = clusters.some(({ isCanary }) => isCanary);
  const isProven = clusters.some(
    (one) => one.operatorVersion === operatorVersion && one.isRunning && (one.isCanary || !isChosen),
  );
  if (!isProven) {
    const canary = inOrder(waiting.filter(({ isCanary }) => isCanary))[0] ?? inOrder(waiting)[0];
    if (canary === undefined || canary.key === self.key) return allowed;
    const message = `the canary cluster ${canary.key} has not completed its rollout with operator ${operatorVersion}`;
    return { isAllowed: false, waitsFor: canary.key, message };
  }
  // A rollout in progress keeps its place, so that a cluster is not left half-updated when another one appears.
  const ranked = [...inOrder(waiting.filter(isStarted)), ...inOrder(waiting.filter((one) => !isStarted(one)))];
  const admitted = ranked.slice(0, rolloutsMax);
  if (admitted.some(({ key }) => key === self.key)) return allowed;
  const message = `${admitted.length} other clusters roll because of operator ${operatorVersion}; the limit is ${rolloutsMax}`;
  return { isAllowed: false, waitsFor: admitted[0]?.key ?? "", message };
}

/** Reports whether a rollout has taken effect: a cluster that only waits is still Running. */
function isStarted({ isRolling, isRunning }: LimitedCluster): boolean {
  return isRolling && !isRunning;
}

function inOrder(clusters: readonly LimitedCluster[]): readonly LimitedCluster[] {
  return clusters.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
