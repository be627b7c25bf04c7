import {
  ApiError,
  type DeepReadonly,
  HomeostatError,
  isEqual,
  keyOf,
  LabelSelector,
  labelSelectorFrom,
} from "@homeostat/core";
import { Deployment, ReplicaSet, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { type Controller, defineController, type ReconcileContext, watched, when } from "@homeostat/runtime";
import { componentLoop } from "../common/controller-loop.ts";
import { goSelector } from "../common/go-selector.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { budgetStatus, countHealthy, disruptedPods, expectation, failedStatus, needsScale } from "./budget.ts";
import { expectedScale } from "./scale.ts";

/**
 * Builds the disruption controller, which keeps the status of PodDisruptionBudgets up to date. The eviction API only
 * allows an eviction while `disruptionsAllowed` is positive.
 */
export function disruptionController(parts: ControlParts): ControlLoop {
  // kube-controller-manager's disruption controller uses the component name of the program for its events.
  return { ...componentLoop(parts, budgets(parts), "controllermanager"), name: "disruption-controller" };
}

function selectorOf({ spec }: DeepReadonly<PodDisruptionBudget>): LabelSelector {
  return spec?.selector === undefined ? LabelSelector.nothing : labelSelectorFrom(spec.selector);
}

const watches = {
  pods: watched(Pod, {
    map: ({ metadata: { namespace = "", labels } }, cache) =>
      cache
        .list(PodDisruptionBudget, { namespace })
        .filter((budget) => selectorOf(budget).matches(labels))
        .map(keyOf),
  }),
  replicaSets: watched(ReplicaSet),
  deployments: watched(Deployment),
  statefulSets: watched(StatefulSet),
};

const warning = "Warning";

function budgets({ kinds, client: plain, events }: ControlParts): Controller {
  return defineController({
    name: "disruption",
    for: PodDisruptionBudget,
    fieldManager,
    writesStatus: false,
    concurrency: 4,
    watches,
    access: [{ type: PodDisruptionBudget, subresource: "status", verbs: ["update"] }],
    when: when.any(
      when.generationChanged(),
      when.changed(({ status }) => status),
    ),
    async reconcile(context) {
      const {
        object: budget,
        namespace,
        watched: { pods, replicaSets, deployments, statefulSets },
        clock,
        event,
        signal,
      } = context;
      const now = clock.now();
      const chosen = pods.list({ namespace, labels: selectorOf(budget) });
      if (chosen.length === 0) event({ reason: "NoPods", note: "No matching pods found" });
      const sources = {
        client: plain,
        kinds,
        replicaSet: (key: { namespace: string; name: string }) => replicaSets.get(key),
        deployment: (key: { namespace: string; name: string }) => deployments.get(key),
        statefulSet: (key: { namespace: string; name: string }) => statefulSets.get(key),
      };
      let whole: Awaited<ReturnType<typeof expectedScale>> = { scale: 0, unmanaged: [] };
      try {
        if (needsScale(budget)) whole = await expectedScale(chosen, sources, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof HomeostatError)) throw error;
        const problem = error instanceof ApiError ? error.serverMessage : error.message;
        const note = `Failed to calculate the number of expected pods: ${problem}`;
        event({ type: warning, reason: "CalculateExpectedPodCountFailed", note });
        return write(context, failedStatus(budget, problem, now));
      }
      if (whole.unmanaged.length > 0) event({ type: warning, reason: "UnmanagedPods", note: unmanagedNote(budget) });
      const disrupted = disruptedPods(budget, chosen, now);
      for (const pod of chosen.filter(({ metadata }) => disrupted.overdue.includes(metadata.name))) {
        const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
        events.record("controllermanager", pod, { type: warning, reason: "NotDeleted", message });
      }
      const status = budgetStatus(budget, {
        ...expectation(budget, { pods: chosen.length, scale: whole.scale }),
        currentHealthy: countHealthy(chosen, disrupted.pods),
        disrupted: disrupted.pods,
        now,
      });
      await write(context, status);
      return disrupted.recheckAt === undefined ? undefined : { requeueAfterMs: Math.max(0, disrupted.recheckAt - now) };
    },
  });
}

async function write(
  { client, object }: Pick<ReconcileContext<PodDisruptionBudget>, "client" | "object">,
  status: NonNullable<DeepReadonly<PodDisruptionBudget>["status"]>,
): Promise<void> {
  if (isEqual(status, object.status)) return;
  await client.update(PodDisruptionBudget, { ...object, status }, { subresource: "status" });
}

function unmanagedNote({ spec }: DeepReadonly<PodDisruptionBudget>): string {
  return `Pods selected by this PodDisruptionBudget (selector: ${goSelector(spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}
