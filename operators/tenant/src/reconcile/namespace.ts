import { type DeepReadonly, type Stored } from "homeostat";
import { AlreadyExistsError, asStored } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { fieldManager } from "../api/identity.ts";
import { namespaceConflict } from "../api/names.ts";
import { decideNamespace } from "../decide/namespace.ts";
import { namespacePatch, namespaceToCreate } from "../decide/namespace-patch.ts";
import type { NamespaceMissing } from "../status/status.ts";
import { events } from "./events.ts";
import { classifyFailure } from "./failures.ts";
import type { TenantContext } from "./tenant-context.ts";

/** Another client may create or delete a namespace of that name between read and write. */
const attemptsMax = 3;

/** Creates or updates the namespace; returns why there is none. An error is written to the status before it is thrown. */
export async function ensureNamespace(context: TenantContext): Promise<NamespaceMissing | undefined> {
  try {
    return await applyNamespace(context);
  } catch (error) {
    context.runtime.signal.throwIfAborted();
    const failure = classifyFailure(error);
    const missing: NamespaceMissing = { reason: "CreateFailed", message: failure.message };
    if (failure.class === "invalid") return missing;
    await context.writeStatus({ type: "namespaceMissing", namespace: missing });
    throw error;
  }
}

async function applyNamespace(context: TenantContext): Promise<NamespaceMissing | undefined> {
  const { tenant, namespace: name, settings } = context;
  const { watched, client, signal } = context.runtime;
  let observed: Stored<Namespace> | undefined = watched.namespaces.get(name);
  for (let attempt = 1; ; attempt += 1) {
    const decision = decideNamespace(observed, tenant, settings);
    switch (decision.action) {
      case "create":
        try {
          await create(context);
          return undefined;
        } catch (error) {
          if (!(error instanceof AlreadyExistsError) || attempt === attemptsMax) throw error;
          const live = await client.get(Namespace, { name }, { signal });
          observed = live && asStored(live);
          continue;
        }
      case "keep":
      case "adopt":
        if (observed !== undefined) await update(context, observed, { isAdopting: decision.action === "adopt" });
        return undefined;
      case "wait":
        return terminating(context, decision);
      case "conflict": {
        const message = namespaceConflict(context.name);
        context.eventOnce(events.namespaceConflict(message));
        return { reason: "NamespaceConflict", message };
      }
    }
  }
}

async function create(context: TenantContext): Promise<void> {
  const { client, signal } = context.runtime;
  const { metrics } = context.dependencies;
  try {
    await client.create(Namespace, namespaceToCreate(context.resolved, context.tenant), { fieldManager, signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) {
      metrics.objectCreations.inc({ resource_type: "Namespace", result: "failure" });
      const reason = error instanceof Error ? error.message : String(error);
      context.eventOnce(events.failed(`Failed to create namespace: ${reason}`));
    }
    throw error;
  }
  metrics.objectCreations.inc({ resource_type: "Namespace", result: "success" });
  context.event(events.created(`namespace ${context.namespace}`));
}

async function update(
  context: TenantContext,
  observed: DeepReadonly<Namespace>,
  { isAdopting }: { readonly isAdopting: boolean },
): Promise<void> {
  const { tenant, resolved, namespace: name } = context;
  const { client, signal } = context.runtime;
  const patch = namespacePatch(observed, resolved, { tenant, isAdopting });
  if (patch === undefined) return;
  await client.patch(Namespace, { name }, { merge: patch.merge }, { fieldManager, signal });
  if (isAdopting) context.event(events.adopted(name));
  if (!patch.isDrift) return;
  context.dependencies.metrics.drift.inc({ kind: "Namespace" });
  const object = `Namespace ${name}`;
  context.runtime.recordDrift({ object, fields: patch.fields, managers: [], wasDeleted: false });
  context.event(events.driftCorrected(object, patch.fields));
}

function terminating(context: TenantContext, { wasOwned }: { readonly wasOwned: boolean }): NamespaceMissing {
  const reason = "NamespaceTerminating";
  const name = `namespace "${context.namespace}"`;
  if (!wasOwned)
    return { reason, message: `${name} is being deleted; it will be recreated when the deletion is complete` };
  const message = `${name} was deleted with all data of the tenant; it will be recreated when the deletion is complete`;
  if (context.condition("NamespaceReady")?.reason !== reason) context.event(events.namespaceDeleted(message));
  return { reason, message };
}

/** Reports namespaces that carry the tenant's label but are not its namespace. They are not changed. */
export function reportForeignLabels(context: TenantContext): void {
  for (const { metadata } of context.runtime.watched.namespaces.by("tenant", context.name)) {
    if (metadata.name !== context.namespace) context.eventOnce(events.foreignLabel(metadata.name));
  }
}
