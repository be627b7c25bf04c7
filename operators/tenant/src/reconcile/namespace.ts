import { AlreadyExistsError, asStored, type DeepReadonly, type Stored } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { fieldManager } from "../api/identity.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { decideNamespace } from "../decide/namespace.ts";
import { namespacePatch, namespaceToCreate } from "../decide/namespace-patch.ts";
import type { NamespaceMissing } from "../status/status.ts";
import { namespaceConflict } from "../api/names.ts";
import { events } from "./events.ts";
import { classifyFailure } from "./failures.ts";
import type { TenantContext } from "./tenant-context.ts";

/** Minimum time between two events about drift of the namespace, as the runtime has it for managed objects. */
const driftPauseMs = 600_000;

/** Another client may create or delete a namespace of that name between read and write. */
const attemptsMax = 3;

/** Makes sure that the tenant has its namespace; returns why it has none, or undefined. An error is written to the status before it is thrown. */
export async function ensureNamespace(
  context: TenantContext,
  resolved: ResolvedTenant,
): Promise<NamespaceMissing | undefined> {
  try {
    return await applyNamespace(context, resolved);
  } catch (error) {
    context.runtime.signal.throwIfAborted();
    const failure = classifyFailure(error);
    const missing: NamespaceMissing = { reason: "CreateFailed", message: failure.message };
    if (failure.class === "invalid") return missing;
    await context.writeStatus({ type: "namespaceMissing", namespace: missing });
    throw error;
  }
}

async function applyNamespace(context: TenantContext, resolved: ResolvedTenant): Promise<NamespaceMissing | undefined> {
  const { watched, client, signal } = context.runtime;
  const name = resolved.namespace;
  let observed: Stored<Namespace> | undefined = watched.namespaces.get(name);
  for (let attempt = 1; ; attempt += 1) {
    const decision = decideNamespace(observed, context.tenant, context.settings);
    switch (decision.action) {
      case "create":
        try {
          await create(context, resolved);
          return undefined;
        } catch (error) {
          if (!(error instanceof AlreadyExistsError) || attempt === attemptsMax) throw error;
          const live = await client.get(Namespace, { name }, { signal });
          observed = live === undefined ? undefined : asStored(live);
          continue;
        }
      case "keep":
      case "adopt":
        if (observed !== undefined)
          await update(context, resolved, { observed, isAdopting: decision.action === "adopt" });
        return undefined;
      case "wait":
        return terminating(context, name, decision);
      case "conflict": {
        const message = namespaceConflict(context.name);
        context.eventOnce(events.namespaceConflict(message));
        return { reason: "NamespaceConflict", message };
      }
    }
  }
}

async function create(context: TenantContext, resolved: ResolvedTenant): Promise<void> {
  const { client, signal } = context.runtime;
  const { metrics } = context.dependencies;
  try {
    await client.create(Namespace, namespaceToCreate(resolved, context.tenant), { fieldManager, signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) {
      metrics.recordCreation("Namespace", "failure");
      const reason = error instanceof Error ? error.message : String(error);
      context.eventOnce(events.failed(`Failed to create namespace: ${reason}`));
    }
    throw error;
  }
  metrics.recordCreation("Namespace", "success");
  context.event(events.created(`namespace ${resolved.namespace}`));
}

async function update(
  context: TenantContext,
  resolved: ResolvedTenant,
  { observed, isAdopting }: { readonly observed: DeepReadonly<Namespace>; readonly isAdopting: boolean },
): Promise<void> {
  const { tenant, uid, now } = context;
  const { client, signal } = context.runtime;
  const { deduplicator, metrics } = context.dependencies;
  const patch = namespacePatch(observed, resolved, { tenant, isAdopting });
  if (patch === undefined) return;
  const name = resolved.namespace;
  await client.patch(Namespace, { name }, { merge: patch.merge }, { fieldManager, signal });
  if (isAdopting) context.event(events.adopted(name));
  if (!patch.isDrift) return;
  metrics.recordDrift("Namespace");
  if (deduplicator.isDue({ uid, event: "namespace drift", now, pauseMs: driftPauseMs })) {
    context.event(events.driftCorrected(`Namespace ${name}`, patch.fields));
  }
}

function terminating(
  context: TenantContext,
  name: string,
  { wasOwned }: { readonly wasOwned: boolean },
): NamespaceMissing {
  const reason = "NamespaceTerminating";
  if (!wasOwned) {
    return { reason, message: `namespace "${name}" is being deleted; it is created again when it is gone` };
  }
  const message = `namespace "${name}" was deleted with all data of the tenant; it is created again when it is gone`;
  if (context.condition("NamespaceReady")?.reason !== reason) context.event(events.namespaceDeleted(message));
  return { reason, message };
}

/** Reports namespaces that carry the tenant's label but are not its namespace. They are not touched. */
export function reportForeignLabels(context: TenantContext, { namespace }: ResolvedTenant): void {
  for (const { metadata } of context.runtime.watched.namespaces.by("tenant", context.name)) {
    if (metadata.name !== namespace) context.eventOnce(events.foreignLabel(metadata.name));
  }
}
