import type { ReconcileResult } from "homeostat";
import { controllerOf, NotFoundError, parseTime } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { HorizontalPodAutoscaler } from "@homeostat/kubernetes/autoscaling/v2";
import { Namespace, Pod } from "@homeostat/kubernetes/core/v1";
import { annotations, isAnnotated } from "../api/annotations.ts";
import { deletionPolicyOf } from "../api/deletion-policy.ts";
import { fieldManager } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import { names } from "../api/names.ts";
import { decideDeletion, deletionRetryMs, type DeletionStep } from "../decide/deletion.ts";
import type { Context } from "../observe/kinds.ts";
import { observe, podsOf } from "../observe/observe.ts";
import type { Observed } from "../observe/observed.ts";
import { withLastUpdated } from "../status/last-updated.ts";
import { ClusterContext, type Dependencies } from "./cluster-context.ts";
import { events } from "./events.ts";
import { errorToThrow } from "./failures.ts";
import { reportFailure } from "./reconcile.ts";
import { deleteClaims, patchClaim } from "./storage.ts";

/** Reconciles a cluster that is being deleted. `"done"` removes the finalizer; the garbage collector then deletes all owned objects. */
export async function cleanup(runtime: Context, dependencies: Dependencies): Promise<"done" | ReconcileResult> {
  const context = new ClusterContext(runtime, dependencies);
  try {
    return await context.step("delete", () => deleteCluster(context));
  } catch (error) {
    runtime.signal.throwIfAborted();
    throw errorToThrow(await reportFailure(context, error));
  }
}

async function deleteCluster(context: ClusterContext): Promise<"done" | ReconcileResult> {
  const observed = observe(context.runtime);
  const step = decideDeletion(await deletionInput(context, observed));
  if (step.type === "blocked") return block(context);
  await announce(context);
  await deleteOrphans(context);
  switch (step.type) {
    case "finish":
      if (step.isLate) context.event(events.deletionTimeout);
      return finish(context);
    case "wait":
      return { requeueAfterMs: deletionRetryMs };
    default:
      await perform(context, observed, step);
      return { requeueAfterMs: deletionRetryMs };
  }
}

async function deletionInput(
  context: ClusterContext,
  observed: Observed,
): Promise<Parameters<typeof decideDeletion>[0]> {
  const { runtime, cluster, now, namespace } = context;
  const { metadata } = cluster;
  const { isProtected, timeoutSeconds, whenDeleted } = deletionPolicyOf(cluster.spec);
  const home = await runtime.client.get(Namespace, { name: namespace }, { signal: runtime.signal });
  return {
    isProtected: isProtected || isAnnotated(metadata, annotations.deletionProtection),
    isNamespaceTerminating: home?.metadata.deletionTimestamp !== undefined,
    isForced: isAnnotated(metadata, annotations.forceDelete),
    deletedAt: metadata.deletionTimestamp === undefined ? now : parseTime(metadata.deletionTimestamp),
    timeoutSeconds,
    hasAutoscalers: runtime.owned.autoscalers.list().length > 0 || runtime.owned.nodeGroups.list().length > 0,
    search: {
      desiredReplicas: Math.max(0, ...observed.search.deployments.map(({ desiredReplicas }) => desiredReplicas)),
      pods: observed.search.pods.length,
    },
    tiers: observed,
    claims: observed.claims,
    whenDeleted,
    now,
  };
}

/**
 * Deletes pods without a controller. They belong to a StatefulSet that was being recreated and will not be created again, so no cascading deletion
 * would delete them.
 */
async function deleteOrphans({ runtime, namespace }: ClusterContext): Promise<void> {
  const { client, signal } = runtime;
  const orphans = podsOf(runtime).filter((pod) => controllerOf(pod) === undefined && !pod.metadata.deletionTimestamp);
  for (const { metadata } of orphans) {
    const { name, uid } = metadata;
    await client.delete(Pod, { namespace, name }, { preconditions: { uid }, signal });
  }
}

type Action = Exclude<DeletionStep, { readonly type: "blocked" | "finish" | "wait" }>;

async function perform(context: ClusterContext, observed: Observed, step: Action): Promise<void> {
  const { runtime, name: cluster, namespace } = context;
  const { client, owned, signal } = runtime;
  const stop = { merge: { spec: { replicas: 0 } } };
  const how = { fieldManager, signal };
  switch (step.type) {
    case "deleteAutoscalers":
      for (const { metadata } of owned.autoscalers.list())
        await client.delete(
          HorizontalPodAutoscaler,
          { namespace, name: metadata.name },
          { preconditions: { uid: metadata.uid }, signal },
        );
      for (const { metadata } of owned.nodeGroups.list()) await owned.nodeGroups.delete(metadata.name);
      return;
    case "stopSearch":
      for (const { metadata } of owned.deployments.list())
        await unlessGone(() => client.patch(Deployment, { namespace, name: metadata.name }, stop, how));
      return;
    case "stopMembers":
      await unlessGone(() =>
        client.patch(StatefulSet, { namespace, name: names.component(cluster, step.component) }, stop, how),
      );
      return;
    case "deleteClaims":
      if (step.isLate) context.event(events.deletionTimeout);
      await deleteClaims(context, step.claims, { isForced: step.isLate });
      return;
    case "retainClaims":
      await retainClaims(context, observed, step.claims);
  }
}

async function retainClaims(
  context: ClusterContext,
  observed: Observed,
  claims: readonly { readonly name: string }[],
): Promise<void> {
  const { name: cluster, status } = context;
  const controllers =
    status.desiredReplicas?.controllers ??
    observed.claims.filter(({ component, isRetired }) => component === "controller" && !isRetired).length;
  for (const { name } of claims) {
    await patchClaim(context, name, {
      labels: { [labels.retainedFrom]: cluster },
      annotations: { [annotations.retainedControllers]: String(controllers) },
    });
  }
  context.event(events.claimsRetained(claims.length));
}

/** Writes the phase Deleting before anything stops. */
async function announce(context: ClusterContext): Promise<void> {
  const { runtime, status: previous, now, generation } = context;
  const isNew = previous.phase !== "Deleting";
  const conditions = {
    Ready: { status: false, reason: "Deleting", message: "The cluster is being deleted" },
    DeletionBlocked: undefined,
  } as const;
  const plan = withLastUpdated({ fields: { phase: "Deleting" }, conditions }, { previous, now, generation });
  runtime.setStatusPlan(plan);
  if (!isNew) return;
  await runtime.saveStatus();
  context.event(events.deleting);
}

async function block(context: ClusterContext): Promise<ReconcileResult> {
  const { runtime, status: previous, now, generation } = context;
  const message = "Remove deletion protection to delete the cluster";
  const conditions = { DeletionBlocked: { status: true, reason: "DeletionProtected", message } } as const;
  runtime.setStatusPlan(withLastUpdated({ fields: {}, conditions }, { previous, now, generation }));
  await runtime.saveStatus();
  if (context.condition("DeletionBlocked")?.status !== "True") context.event(events.deletionBlocked);
  // Removing the protection changes the spec or an annotation, which triggers a reconcile.
  return {};
}

function finish({ runtime: { key, event }, cluster, dependencies }: ClusterContext): "done" {
  event(events.deleted);
  dependencies.metrics.forget(key);
  dependencies.calls().forget(cluster.metadata.uid);
  dependencies.problems.forget(cluster.metadata.uid);
  dependencies.hashes.forget(cluster.metadata.uid);
  dependencies.warnings.forget(cluster.metadata.uid);
  return "done";
}

/** Performs a request about an object that may have been deleted meanwhile. */
async function unlessGone(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
