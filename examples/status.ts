// Computes the status of an object from observed state: conditions with declared reasons, one plan for fields and conditions,
// reasons for pods that are not ready, reasons for failed requests, and retry delays per class of error.
//
// Prints:
//   2 of 3 ready: Degraded PodsFailing: Container web of pod web-1 is waiting: Back-off pulling image "web:9"
//   3 of 3 ready: Ready RolloutComplete
//   QuotaExceeded: ResourceQuota "small" is exceeded. Raise the quota, or free resources in the namespace.

import { apiErrorFrom, type DeepReadonly } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import {
  classifyApiFailure,
  combineStatusPlans,
  type ConditionTexts,
  defineController,
  defineResource,
  type ObjectOf,
  podProblems,
  s,
  type StatusPlan,
  watched,
} from "homeostat";

// region: conditions
const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().default(3) },
  status: { ready: s.int().optional() },
  conditions: { Ready: ["RolloutComplete", "Waiting"], Degraded: ["PodsFailing"] },
});
type Site = ObjectOf<typeof Site>;

const conditions = {
  Ready: {
    complete: { status: true, reason: "RolloutComplete", message: "All replicas are ready" },
    waiting: (ready: number, all: number) => ({
      status: false,
      reason: "Waiting",
      message: `${ready} of ${all} replicas are ready`,
    }),
  },
  Degraded: {
    failing: (message: string) => ({ status: true, reason: "PodsFailing", message }),
  },
} as const satisfies ConditionTexts<Site>;
// endregion

// region: plan
/** Observed state of a site. */
interface Observed {
  readonly replicas: number;
  readonly ready: number;
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly now: number;
}

function rolloutStatus({ ready, replicas }: Observed): StatusPlan<Site> {
  const { complete, waiting } = conditions.Ready;
  return { fields: { ready }, conditions: { Ready: ready < replicas ? waiting(ready, replicas) : complete } };
}

function podStatus({ pods, now }: Observed): StatusPlan<Site> {
  const problem = podProblems({ pods, now }).find(({ isBlocking }) => isBlocking);
  // An undefined condition is removed from the status.
  const Degraded = problem === undefined ? undefined : conditions.Degraded.failing(problem.sentence);
  return { fields: {}, conditions: { Degraded } };
}

const siteStatus = (observed: Observed): StatusPlan<Site> =>
  combineStatusPlans(rolloutStatus(observed), podStatus(observed));
// endregion

export const sites = defineController({
  for: Site,
  watches: { pods: watched(Pod) },
  // region: policy
  errorPolicy: {
    transient: { minMs: 30_000, maxMs: 60_000 },
    permanent: { minMs: 300_000, maxMs: 600_000 },
    unknown: { minMs: 120_000, maxMs: 120_000 },
  },
  // endregion
  // region: write
  async reconcile({ object, name, namespace, watched, serverClock, requireStatus, setStatusPlan, saveStatus }) {
    const own = watched.pods.list({ namespace, labels: `example.com/site=${name}` });
    const ready = own.filter(({ status }) => status?.conditions?.some((one) => one.type === "Ready")).length;
    // The cache may be older than a count that another process recorded. The write is rejected then.
    requireStatus(
      (status) => status?.ready === object.status?.ready,
      () => new Error(`Site ${name} was changed by another process`),
    );
    setStatusPlan(siteStatus({ replicas: object.spec.replicas, ready, pods: own, now: serverClock.now() }));
    await saveStatus({ purpose: "record the rollout" });
  },
  // endregion
});

const pulling: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1" },
  spec: { containers: [{ name: "web", image: "web:9" }] },
  status: {
    containerStatuses: [
      {
        name: "web",
        ready: false,
        restartCount: 0,
        image: "web:9",
        imageID: "",
        state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "web:9"' } },
      },
    ],
  },
};

const now = Date.UTC(2026, 0, 1);
for (const observed of [
  { replicas: 3, ready: 2, pods: [pulling], now },
  { replicas: 3, ready: 3, pods: [], now },
]) {
  const { fields, conditions: set } = siteStatus(observed);
  const shown =
    set.Degraded === undefined
      ? `Ready ${set.Ready?.reason}`
      : `Degraded ${set.Degraded.reason}: ${set.Degraded.message}`;
  console.log(`${fields.ready} of 3 ready: ${shown}`);
}

const message = 'pods "web-2" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
const error = apiErrorFrom({ status: 403, body: { kind: "Status", reason: "Forbidden", message } });
// region: failure
const failure = classifyApiFailure(error);
console.log(`${failure.reason}: ${failure.sentence}`);
// endregion
