// Deletes everything that belongs to a sandbox, in order.

import type { ReconcileResult, Stored } from "homeostat";
import {
  asStored,
  controllerOf,
  type DeepReadonly,
  type KubeObject,
  parseTime,
  type ResourceType,
} from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Secret, Service } from "@homeostat/kubernetes/core/v1";
import { jobEndOf } from "@homeostat/runtime";
import { annotations } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { hookJob, hookName } from "../build/provision.ts";
import { decideDeletion, type DeleteHook, deletionRetryMs, type DeletionStep } from "../decide/deletion.ts";
import type { Context } from "../observe/kinds.ts";
import { sandboxEvents } from "./events.ts";
import { type Dependencies, SandboxContext } from "./sandbox-context.ts";

/** An object of the sandbox with its kind. */
interface Left {
  readonly type: ResourceType;
  readonly object: Stored<KubeObject>;
}

/** Objects of the sandbox that still exist. */
interface Leftovers {
  readonly localWorkloads: readonly Left[];
  readonly services: readonly Left[];
  readonly forks: readonly Left[];
  readonly provision: readonly Left[];
}

/** Reconciles a sandbox that is being deleted. `"done"` removes the finalizer. */
export async function cleanup(runtime: Context, dependencies: Dependencies): Promise<"done" | ReconcileResult> {
  const context = new SandboxContext(runtime, dependencies);
  const { feed, sandbox, now } = context;
  feed.prime(runtime.cache);
  feed.update("Sandbox", runtime.key, runtime.cache);
  dependencies.metrics.recordDeletion(runtime.key);
  if (context.status.phase !== "Terminating") {
    context.event(sandboxEvents.deleting);
    await saveTerminating(context, "Sandbox is being deleted");
  }
  const left = await leftovers(context);
  const deletedAt =
    sandbox.metadata.deletionTimestamp === undefined ? now : parseTime(sandbox.metadata.deletionTimestamp);
  const hooks = deleteHooks(context);
  const step = decideDeletion({
    deletedAt,
    pendingTables: pendingTables(context),
    takenOver: takenOverAlone(context).length,
    localWorkloads: names(left.localWorkloads),
    services: names(left.services),
    forks: names(left.forks),
    hooks,
    provisionObjects: names(left.provision),
    others: [],
    isLeftToGarbageCollection: Object.values(left)
      .flat()
      .every(({ object }) => isGarbageOf(object, sandbox)),
    isNamespaceTerminating: runtime.watched.namespaces.get(context.namespace)?.metadata.deletionTimestamp !== undefined,
    isForced: sandbox.metadata.annotations?.[annotations.forceDelete] === "true",
    drainMs: context.config.cleanup.drainSeconds * 1_000,
    forceAfterMs: context.config.cleanup.forceAfterSeconds * 1_000,
    now,
  });
  return runtime.step("delete", () => perform(context, { step, left, hooks, deletedAt }));
}

interface PerformInput {
  readonly step: DeletionStep;
  readonly left: Leftovers;
  readonly hooks: readonly DeleteHook[];
  readonly deletedAt: number;
}

async function perform(context: SandboxContext, input: PerformInput): Promise<"done" | ReconcileResult> {
  const { step, left, deletedAt } = input;
  const { now, dependencies, runtime, namespace } = context;
  const isLate = now - deletedAt >= context.config.cleanup.forceAfterSeconds * 1_000;
  switch (step.type) {
    case "waitForRoutes":
      return { requeueAfterMs: Math.max(1, step.until - now) };
    case "deleteLocalWorkloads":
      return remove(context, left.localWorkloads, isLate);
    case "deleteServices":
      return remove(context, left.services, isLate);
    case "deleteForks":
      return remove(context, left.forks, isLate);
    case "deleteProvisionObjects":
      return remove(context, left.provision, isLate);
    case "startHook":
      await startHook(context, step.name);
      return { requeueAfterMs: deletionRetryMs };
    case "waitForHook":
      return { requeueAfterMs: deletionRetryMs };
    case "wait":
      reportStuck(context, step.names, step.isStuck);
      return { requeueAfterMs: deletionRetryMs };
    case "finish":
      for (const { state, message } of input.hooks) {
        if (state === "failed" && message !== undefined) context.event(sandboxEvents.deleteHookFailed(message));
      }
      context.event(sandboxEvents.deleted);
      dependencies.metrics.cleanupSeconds.observe({ namespace }, Math.max(0, now - deletedAt) / 1_000);
      dependencies.metrics.forgetSandbox(runtime.key);
      return "done";
  }
}

/** Writes the phase before anything is deleted, so users see that the operator handles the deletion. */
async function saveTerminating({ runtime, sandbox }: SandboxContext, message: string): Promise<void> {
  const condition = { status: false, reason: "Terminating", message } as const;
  runtime.setStatusPlan({
    fields: { phase: "Terminating", observedGeneration: sandbox.metadata.generation ?? 0 },
    conditions: {
      Ready: condition,
      Progressing: { status: true, reason: "Terminating", message },
    },
  });
  await runtime.saveStatus();
}

/** Returns the number of published tables that still contain the sandbox, plus tables whose current version is not confirmed by all proxies. */
function pendingTables({ runtime, sandbox, feed }: SandboxContext): number {
  const uid = sandbox.metadata.uid ?? "";
  const containing = runtime.watched.tables.by("sandboxUid", uid);
  const report = feed.sandbox(runtime.key);
  const unconfirmed = (report?.services ?? []).filter((service) => {
    const { total = 0, synced = 0 } = runtime.watched.tables.get(service)?.status?.proxies ?? {};
    return synced < total;
  });
  return containing.length + unconfirmed.length;
}

/**
 * Returns the Services that are taken over for this sandbox alone and whose release has not begun: the published table has no entries of other
 * sandboxes, and does not record a time since which it is unused.
 */
function takenOverAlone({ runtime, sandbox, namespace, status }: SandboxContext): readonly string[] {
  const uid = sandbox.metadata.uid ?? "";
  const homes = new Map(sandbox.spec.services.map(({ name, targetRef }) => [name, targetRef.namespace ?? namespace]));
  const keys = (status.services ?? []).flatMap(({ name, services }) =>
    (services ?? []).map(({ baseline }) => `${homes.get(name) ?? namespace}/${baseline}`),
  );
  return [...new Set(keys)].filter((key) => {
    const table = runtime.watched.tables.get(key);
    const { phase, unusedSince } = table?.status?.takeover ?? {};
    const isAlone = table?.spec.entries.every(({ sandboxUid }) => sandboxUid === uid) === true;
    return phase === "TakenOver" && isAlone && unusedSince === undefined;
  });
}

async function leftovers({ runtime, sandbox, namespace }: SandboxContext): Promise<Leftovers> {
  const { owned, watched, key } = runtime;
  const of = (type: ResourceType, objects: readonly Stored<KubeObject>[]): readonly Left[] =>
    objects.map((object) => ({ type, object }));
  // Jobs of delete hooks are left to the garbage collector: they are the record that the hooks have run.
  const created = new Set(sandbox.spec.provision.map(({ name }) => hookName(sandbox, name, "create")));
  const createJobs = owned.jobs.list({ namespace }).filter(({ metadata }) => created.has(metadata.name ?? ""));
  return {
    localWorkloads: of(LocalWorkload, watched.localWorkloads.by("sandbox", key)),
    services: of(Service, owned.services.list()),
    forks: of(Deployment, owned.forks.list()),
    provision: [...of(Job, createJobs), ...(await secrets({ runtime, sandbox, namespace }))],
  };
}

/** Returns the Secrets of provision hooks. They are read by name, because Secrets are never listed. */
async function secrets({
  runtime,
  sandbox,
  namespace,
}: Pick<SandboxContext, "runtime" | "sandbox" | "namespace">): Promise<readonly Left[]> {
  const found: Left[] = [];
  for (const { name: hook } of sandbox.spec.provision) {
    const name = hookName(sandbox, hook, "create");
    const secret = await runtime.client.get(Secret, { namespace, name }, { signal: runtime.signal });
    if (secret !== undefined && controllerOf(secret)?.uid === sandbox.metadata.uid)
      found.push({ type: Secret, object: asStored(secret) });
  }
  return found;
}

/** Deletes objects in the given order, and waits for those that are already being deleted. */
async function remove(context: SandboxContext, left: readonly Left[], isLate: boolean): Promise<ReconcileResult> {
  const { client, signal } = context.runtime;
  for (const { type, object } of left) {
    const { namespace = "", name, uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) continue;
    const propagation = type.kind === "Deployment" ? "Foreground" : "Background";
    await client.delete(type, { namespace, name }, { preconditions: { uid }, propagation, signal });
  }
  if (isLate) reportStuck(context, names(left), true);
  return { requeueAfterMs: deletionRetryMs };
}

function reportStuck(context: SandboxContext, left: readonly string[], isStuck: boolean): void {
  if (!isStuck) return;
  const message = `Waiting for the deletion of ${left.join(", ")}`;
  context.event(sandboxEvents.cleanupStuck(message));
  context.runtime.setCondition("Degraded", { status: true, reason: "CleanupStuck", message });
}

function deleteHooks({ sandbox, runtime }: SandboxContext): readonly DeleteHook[] {
  return sandbox.spec.provision.flatMap(({ name, delete: step }): readonly DeleteHook[] => {
    if (step === undefined) return [];
    const job = runtime.owned.jobs.get(hookName(sandbox, name, "delete"));
    const end = jobEndOf(job);
    if (job === undefined) return [{ name, state: "absent", message: undefined }];
    if (end === undefined) return [{ name, state: "running", message: undefined }];
    const message = `Delete hook ${name} failed (${end.reason}): ${end.message}; its resources may still exist`;
    return [{ name, state: end.type === "Complete" ? "succeeded" : "failed", message }];
  });
}

async function startHook({ sandbox, runtime, status }: SandboxContext, name: string): Promise<void> {
  const hook = sandbox.spec.provision.find((each) => each.name === name);
  if (hook?.delete === undefined) return;
  const input = { sandbox, hook, routingKey: status.routingKey ?? "" };
  await runtime.owned.jobs.create(hookJob(input, "delete", hook.delete));
}

/** Reports whether the garbage collector deletes an object after the sandbox. */
function isGarbageOf(object: DeepReadonly<KubeObject>, sandbox: DeepReadonly<KubeObject>): boolean {
  const { namespace, uid } = sandbox.metadata;
  return (
    object.metadata.namespace === namespace &&
    (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid)
  );
}

function names(left: readonly Left[]): readonly string[] {
  return left.map(
    ({ type, object }) => `${type.kind} ${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`,
  );
}
