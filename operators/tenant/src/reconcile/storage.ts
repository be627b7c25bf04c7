import { ConflictError, ForbiddenError, InvalidError } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { fieldManager } from "../api/identity.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { decideStorage, type StorageDecision } from "../decide/storage.ts";
import { type Observed, observe } from "../observe/observe.ts";
import type { TypedCondition } from "../status/status.ts";
import { events } from "./events.ts";
import type { TenantContext } from "./tenant-context.ts";

/** The result of growing the storage. */
export interface Storage {
  /** The size that the claim template keeps; undefined to use the desired one. */
  readonly claimSize: string | undefined;
  /** Undefined without claims. */
  readonly condition: TypedCondition<"StorageResized"> | undefined;
}

/** Grows the claims of Redis to the desired size, then replaces the StatefulSet, whose claim template is immutable. */
export async function growStorage(
  context: TenantContext,
  resolved: ResolvedTenant,
  observed: Observed,
): Promise<Storage> {
  if (!resolved.redis.isPersistent) return { claimSize: undefined, condition: undefined };
  const template = templateSize(observed);
  const result = (decision: StorageDecision, claimSize: string | undefined): Storage => ({
    claimSize,
    condition: observed.claims.length === 0 ? undefined : conditionOf(context, decision),
  });
  const decision = await decide(context, resolved, observed);
  if (decision.state !== "growing") return result(decision, decision.state === "settled" ? undefined : template);
  const refusal = await growClaims(context, resolved, decision.claims);
  if (refusal !== undefined) return result(refusal, template);
  const after = decideStorage({ ...sizes(resolved, observe(context, resolved)), canExpand: undefined });
  const isTemplateOld = after.state === "growing" && after.isTemplateOld;
  if (isTemplateOld) await deleteStatefulSet(context, observed);
  return result(after, isTemplateOld ? undefined : template);
}

/** Reads the storage class only when claims have to grow. */
async function decide(context: TenantContext, resolved: ResolvedTenant, observed: Observed): Promise<StorageDecision> {
  const decision = decideStorage({ ...sizes(resolved, observed), canExpand: undefined });
  if (decision.state !== "growing" || decision.claims.length === 0) return decision;
  return decideStorage({ ...sizes(resolved, observed), canExpand: await canExpand(context, observed) });
}

function sizes({ redis }: ResolvedTenant, observed: Observed): Omit<Parameters<typeof decideStorage>[0], "canExpand"> {
  return { desired: redis.storage, template: templateSize(observed), claims: observed.claims };
}

function templateSize({ redis }: Observed): string | undefined {
  const size = redis?.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"];
  return size === undefined ? undefined : String(size);
}

/** Reports whether the storage class allows expansion; undefined when it is unknown. */
async function canExpand(
  { runtime: { client, signal } }: TenantContext,
  { claims }: Observed,
): Promise<boolean | undefined> {
  const name = claims.find(({ spec }) => spec?.storageClassName !== undefined)?.spec?.storageClassName;
  if (name === undefined || name === "") return undefined;
  const found = await client.get(StorageClass, { name }, { signal });
  return found === undefined ? undefined : (found.allowVolumeExpansion ?? false);
}

/** Raises the request of each claim; returns the refusal of the API server, if any. */
async function growClaims(
  { runtime: { client, signal } }: TenantContext,
  { namespace, redis }: ResolvedTenant,
  claims: readonly string[],
): Promise<StorageDecision | undefined> {
  const merge = { spec: { resources: { requests: { storage: redis.storage } } } };
  for (const name of claims) {
    try {
      await client.patch(PersistentVolumeClaim, { namespace, name }, { merge }, { fieldManager, signal });
    } catch (error) {
      if (!(error instanceof ForbiddenError) && !(error instanceof InvalidError)) throw error;
      return { state: "refused", reason: "ExpansionNotSupported", message: error.serverMessage };
    }
  }
  return undefined;
}

/** Deletes the StatefulSet and orphans its pods: they keep running, and the next StatefulSet adopts them. */
async function deleteStatefulSet({ runtime: { client, signal } }: TenantContext, { redis }: Observed): Promise<void> {
  if (redis === undefined || redis.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name = "", uid } = redis.metadata;
  try {
    const preconditions = uid === undefined ? {} : { uid };
    await client.delete(StatefulSet, { namespace, name }, { preconditions, propagation: "Orphan", signal });
  } catch (error) {
    // The StatefulSet was replaced in between; the next reconcile observes the new one.
    if (!(error instanceof ConflictError)) throw error;
  }
}

function conditionOf(context: TenantContext, decision: StorageDecision): TypedCondition<"StorageResized"> {
  switch (decision.state) {
    case "settled":
      if (context.condition("StorageResized")?.reason === "Resizing") context.event(events.storageResized);
      return { status: true, reason: "Resized", message: "Every volume of Redis has the desired size" };
    case "refused": {
      const { reason, message } = decision;
      if (reason === "ExpansionNotSupported") context.eventOnce(events.expansionNotSupported(message));
      return { status: false, reason, message };
    }
    case "growing":
      return { status: false, reason: "Resizing", message: decision.message };
  }
}
