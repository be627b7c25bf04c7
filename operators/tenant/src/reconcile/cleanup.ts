import { type DeepReadonly, type ReconcileResult, TransientError } from "homeostat";
import { asStored, formatTime, InvalidError, parseTime, removeOwnerReference } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { fieldManager, group } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Reason } from "../api/status.ts";
import { deletionBlockers, deletionStep, pollDelayMs, reasonToRetain, stuckAfterMs } from "../decide/deletion.ts";
import { namespaceReturn } from "../decide/namespace-patch.ts";
import { condition, phaseFields } from "../status/status.ts";
import { events } from "./events.ts";
import { type Dependencies, TenantContext } from "./tenant-context.ts";
import type { Context } from "../observe/kinds.ts";

/** Reconciles a tenant that is being deleted. `"done"` removes the finalizer. */
export async function cleanup(runtime: Context, dependencies: Dependencies): Promise<"done" | ReconcileResult> {
  const context = new TenantContext(runtime, dependencies);
  if (context.status.phase !== "Terminating") {
    context.event(events.deleting);
    setTerminating(context, "DeletingNamespace", "Tenant is being deleted");
    await runtime.saveStatus();
  }
  try {
    return await deleteTenant(context);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    // An admission policy may allow the deletion later, and no event would trigger another reconcile: retry.
    const message = `Namespace ${context.namespace} cannot be deleted: ${error.serverMessage}`;
    setTerminating(context, "DeletingNamespace", message);
    throw new TransientError(`${error.message} The operator retries.`, { cause: error });
  }
}

async function deleteTenant(context: TenantContext): Promise<"done" | ReconcileResult> {
  const { client, signal, managed } = context.runtime;
  const { tenant, namespace: name } = context;
  const retainReason = await findRetainReason(context);
  const observed = await client.get(Namespace, { name }, { signal });
  const step = deletionStep(observed, tenant, retainReason);
  if (observed === undefined || step.action === "finish") return finish(context);
  const children = {
    namespace: name,
    named: [{ type: Secret, key: { namespace: name, name: names.redisAuth(context.name) } }],
  };
  switch (step.action) {
    case "ignore":
      context.event(events.namespaceNotOwned(name));
      return finish(context);
    case "release": {
      await managed.releaseAll(children);
      const released = removeOwnerReference(tenant, asStored(observed));
      if (released !== observed) {
        const { resourceVersion, ownerReferences = [] } = released.metadata;
        const merge = { metadata: { resourceVersion, ownerReferences } };
        await client.patch(Namespace, { name }, { merge }, { fieldManager, signal });
      }
      context.event(events.retained(name, step.reason));
      return finish(context);
    }
    case "empty":
      for await (const { type } of managed.list(children))
        context.dependencies.metrics.objectDeletions.inc({ resource_type: type.kind, result: "success" });
      await managed.deleteAll(children);
      await client.patch(Namespace, { name }, { merge: namespaceReturn(observed) }, { fieldManager, signal });
      return finish(context);
    case "delete":
      return deleteNamespace(context, observed);
    case "wait":
      return waitForNamespace(context, observed);
  }
}

/** Reads the CRD only when no other rule keeps the namespace. */
async function findRetainReason({ tenant, runtime: { client, signal } }: TenantContext): Promise<string | undefined> {
  const reason = reasonToRetain({ tenant, isCrdDeleted: false });
  if (reason !== undefined) return reason;
  const crd = await client.get(CustomResourceDefinition, { name: `tenants.${group}` }, { signal });
  return reasonToRetain({ tenant, isCrdDeleted: crd?.metadata.deletionTimestamp !== undefined });
}

function setTerminating(context: TenantContext, reason: Reason<"Terminating">, message: string): void {
  context.runtime.setStatusPlan({
    fields: phaseFields({ phase: "Terminating", message }, context.statusInput),
    conditions: {
      Ready: condition({ status: false, reason: "Terminating", message }),
      Terminating: condition({ status: true, reason, message }),
    },
  });
  context.recordPhase("Terminating");
}

async function deleteNamespace(context: TenantContext, observed: DeepReadonly<Namespace>): Promise<ReconcileResult> {
  const { client, signal } = context.runtime;
  const { name = "", uid } = observed.metadata;
  // The uid precondition protects a new namespace that was created with the same name in the meantime.
  const preconditions = uid === undefined ? {} : { uid };
  await client.delete(Namespace, { name }, { preconditions, propagation: "Background", signal });
  context.dependencies.metrics.objectDeletions.inc({ resource_type: "Namespace", result: "success" });
  context.event(events.deletingNamespace(name));
  setTerminating(context, "WaitingForNamespace", `Waiting for namespace ${name} to be deleted`);
  return { requeueAfterMs: pollDelayMs(0) };
}

/** Reports what blocks the deletion. The operator never removes finalizers of other controllers. */
function waitForNamespace(context: TenantContext, observed: DeepReadonly<Namespace>): ReconcileResult {
  const { name = "", deletionTimestamp = formatTime(context.now) } = observed.metadata;
  const elapsedMs = Math.max(0, context.now - parseTime(deletionTimestamp));
  const blockers = deletionBlockers(observed);
  const message = `Waiting for namespace ${name} to be deleted${blockers === "" ? "" : `: ${blockers}`}`;
  const isStuck = elapsedMs >= stuckAfterMs;
  if (isStuck && context.condition("Terminating")?.reason !== "NamespaceStuck") {
    context.event(events.namespaceStuck(message));
    context.dependencies.metrics.deletions.inc({ result: "failure" });
  }
  setTerminating(context, isStuck ? "NamespaceStuck" : "WaitingForNamespace", message);
  return { requeueAfterMs: pollDelayMs(elapsedMs) };
}

function finish({ name, dependencies: { metrics } }: TenantContext): "done" {
  metrics.deletions.inc({ result: "success" });
  metrics.forget(name);
  return "done";
}
