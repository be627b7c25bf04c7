import { asStored, type DeepReadonly, formatTime, InvalidError, parseTime, TransientError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import type { ReconcileResult } from "@homeostat/runtime";
import type { Reason } from "../api/conditions.ts";
import { fieldManager, group } from "../api/identity.ts";
import { events } from "./events.ts";
import type { Context } from "./watches.ts";
import { namespaceReturn } from "./namespace-change.ts";
import { type Parts, Pass } from "./pass.ts";
import { phaseFields, told } from "../status/derive.ts";
import { deleteChildren, releaseChildren, withoutReferences } from "./release.ts";
import { deletionMode, deletionStep, type Mode, pollDelayMs, stuckAfterMs, whatHolds } from "../decide/deletion.ts";

/** One pass over a tenant that is being deleted: section 13. `"done"` lets it go. */
export async function cleanUp(context: Context, parts: Parts): Promise<"done" | ReconcileResult> {
  const pass = new Pass(context, parts);
  await begin(pass);
  try {
    return await leave(pass);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    // What a policy is against now it may allow later, and nothing else would wake a tenant that is on its way out.
    say(pass, "DeletingNamespace", `Namespace ${pass.namespace} cannot go: ${error.serverMessage}`);
    throw new TransientError(`${error.message} It is tried again.`, { cause: error });
  }
}

async function leave(pass: Pass): Promise<"done" | ReconcileResult> {
  const { client, signal } = pass.context;
  const mode = await modeOf(pass);
  const name = pass.namespace;
  const found = await client.get(Namespace, { name }, { signal });
  const step = deletionStep(found === undefined ? undefined : asStored(found), pass.tenant, mode);
  if (found === undefined || step.do === "finish") return finish(pass);
  switch (step.do) {
    case "leave":
      pass.event(events.namespaceNotOwned(name));
      return finish(pass);
    case "release":
      await release(pass, found);
      pass.event(events.retained(name, step.why));
      return finish(pass);
    case "empty":
      await deleteChildren(pass, name);
      await client.patch(Namespace, { name }, { merge: namespaceReturn(found) }, { fieldManager, signal });
      return finish(pass);
    case "delete":
      return remove(pass, found);
    case "wait":
      return wait(pass, found);
  }
}

/** Says that the tenant is on its way out, once. */
async function begin(pass: Pass): Promise<void> {
  if (pass.before.phase === "Terminating") return;
  pass.event(events.deleting);
  say(pass, "DeletingNamespace", "Tenant is being deleted");
  await pass.context.saveStatus();
}

function say(pass: Pass, reason: Reason<"Terminating">, message: string): void {
  pass.say({
    fields: phaseFields({ phase: "Terminating", message }, pass.occasion),
    conditions: {
      Ready: told({ status: false, reason: "Terminating", message }),
      Terminating: told({ status: true, reason, message }),
    },
  });
  pass.phaseIs("Terminating");
}

/** What becomes of the namespace. The kind is asked for only when nothing else keeps it. */
async function modeOf({ tenant, context: { client, signal } }: Pass): Promise<Mode> {
  const mode = deletionMode(tenant, { isKindLeaving: false });
  if (mode.is === "orphan") return mode;
  const kind = await client.get(CustomResourceDefinition, { name: `tenants.${group}` }, { signal });
  return deletionMode(tenant, { isKindLeaving: kind?.metadata.deletionTimestamp !== undefined });
}

async function remove(pass: Pass, found: DeepReadonly<Namespace>): Promise<ReconcileResult> {
  const { client, signal } = pass.context;
  const { name = "", uid } = found.metadata;
  // On condition of the uid: one that was made since under the same name is not ours to delete.
  const preconditions = uid === undefined ? {} : { uid };
  await client.delete(Namespace, { name }, { preconditions, propagation: "Background", signal });
  pass.parts.metrics.deletedResource("Namespace", "success");
  pass.event(events.deletingNamespace(name));
  say(pass, "WaitingForNamespace", `Waiting for namespace ${name} to go`);
  return { requeueAfterMs: pollDelayMs(0) };
}

/** Finalizers of others are theirs: what holds the namespace is told, and waited for. */
async function wait(pass: Pass, found: DeepReadonly<Namespace>): Promise<ReconcileResult> {
  const { name = "", deletionTimestamp = formatTime(pass.now) } = found.metadata;
  const elapsedMs = Math.max(0, pass.now - parseTime(deletionTimestamp));
  const why = whatHolds(found);
  const message = `Waiting for namespace ${name} to go${why === "" ? "" : `: ${why}`}`;
  const isStuck = elapsedMs >= stuckAfterMs;
  if (isStuck && pass.condition("Terminating")?.reason !== "NamespaceStuck") {
    pass.event(events.namespaceStuck(message));
    pass.parts.metrics.deleted("failure");
  }
  say(pass, isStuck ? "NamespaceStuck" : "WaitingForNamespace", message);
  return { requeueAfterMs: pollDelayMs(elapsedMs) };
}

/** Nothing in the namespace, nor the namespace itself, refers to the tenant any more. */
async function release(pass: Pass, found: DeepReadonly<Namespace>): Promise<void> {
  const { client, signal } = pass.context;
  const { name = "" } = found.metadata;
  await releaseChildren(pass, name);
  const merge = withoutReferences(found, pass.tenant);
  if (merge !== undefined) await client.patch(Namespace, { name }, { merge }, { fieldManager, signal });
}

function finish({ name, uid, parts }: Pass): "done" {
  parts.metrics.deleted("success");
  parts.metrics.forget(name);
  parts.told.forget(uid);
  return "done";
}
