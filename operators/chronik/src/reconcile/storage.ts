// Grows volumes, and marks claims of removed members.

import { type ConditionValue, growVolumes } from "homeostat";
import { ConflictError, formatTime } from "@homeostat/core";
import { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import { fieldManager, type StatefulComponent, statefulComponents } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import type { Reason } from "../api/status.ts";
import { type ClaimIdentity, claimsAfterScaleDown } from "../decide/deletion.ts";
import { storageOrder, type StorageOrder } from "../decide/storage.ts";
import { mountedClaims } from "../observe/members.ts";
import { claimsIn, statefulSetOf } from "../observe/observe.ts";
import type { Observed } from "../observe/observed.ts";
import type { ClusterContext } from "./cluster-context.ts";
import { events } from "./events.ts";

/** The state of the volumes after a reconcile. */
export interface Storage {
  readonly order: StorageOrder;
  /** Sizes for the claim templates of existing StatefulSets. */
  readonly claimSizes: Readonly<Partial<Record<StatefulComponent, string>>>;
  /** StatefulSets that are being recreated, so that they must not be applied now. */
  readonly recreated: readonly StatefulComponent[];
  readonly condition: ConditionValue<Reason<"VolumesResized">>;
}

/** Grows the volumes to the size of the spec: those of controllers first, and one StatefulSet at a time. */
export async function growStorage(context: ClusterContext, observed: Observed): Promise<Storage> {
  const { runtime, resolved } = context;
  const { size } = resolved.storage;
  const order = storageOrder({ observed, size });
  const claimSizes: Partial<Record<StatefulComponent, string>> = {};
  const recreated: StatefulComponent[] = [];
  let refusal: string | undefined;
  let isGrowing = order.resizing > 0;
  for (const component of statefulComponents) {
    const { set } = observed[component];
    if (set === undefined) continue;
    if (set.isTerminating) recreated.push(component);
    if (set.templateSize !== undefined) claimSizes[component] = set.templateSize;
    const permission = order.permissions[component];
    if (!permission.isAllowed) {
      isGrowing ||= permission.waitsFor !== undefined;
      continue;
    }
    const prefix = `${context.name}-${component}-`;
    const { growth, templateSize } = await growVolumes({
      client: runtime.client,
      fieldManager,
      signal: runtime.signal,
      statefulSet: statefulSetOf(runtime, component),
      claims: () =>
        claimsIn(runtime).filter(({ metadata: { name } }) => order.claims.includes(name) && name.includes(prefix)),
      size,
    });
    claimSizes[component] = templateSize;
    isGrowing ||= growth.state === "growing";
    if (growth.state === "growing") context.eventOnce(events.volumeResizeRequested(size));
    if (growth.state === "refused") refusal = growth.message;
    if (growth.state === "growing" && growth.isTemplateOld) {
      recreated.push(component);
      context.event(events.statefulSetRecreated(component));
    }
  }
  if (refusal !== undefined) {
    context.eventOnce(events.expansionNotSupported(refusal));
    const condition = { status: false, reason: "ExpansionNotSupported", message: refusal } as const;
    return { order, claimSizes, recreated, condition };
  }
  const condition = isGrowing
    ? ({ status: false, reason: "Resizing", message: `volumes are growing to ${size}` } as const)
    : ({ status: true, reason: "Done", message: "all volumes have the requested size" } as const);
  return { order, claimSizes, recreated, condition };
}

/** Deletes or marks the claims of removed members, and removes the marks of claims that are in use again. */
export async function settleClaims(context: ClusterContext, observed: Observed): Promise<void> {
  const { controller, ingest, claims } = observed;
  const { whenScaled } = context.resolved.storage.retentionPolicy;
  if (controller.set === undefined || ingest.set === undefined) return;
  const replicas = { controller: controller.set.replicas, ingest: ingest.set.replicas };
  const { toDelete, toRetire } = claimsAfterScaleDown(claims, replicas, whenScaled);
  await deleteClaims(context, toDelete);
  for (const { name } of toRetire) {
    await patchClaim(context, name, { annotations: { [annotations.retiredAt]: formatTime(context.now) } });
    context.event(events.claimRetired(name));
  }
  const used = claims.filter(
    ({ component, ordinal, isRetired, isRetained, isMounted, isTerminating }) =>
      (isRetired || isRetained) && isMounted && !isTerminating && ordinal < replicas[component],
  );
  for (const { name } of used) {
    await patchClaim(context, name, {
      labels: { [labels.retainedFrom]: null },
      annotations: { [annotations.retiredAt]: null, [annotations.retainedControllers]: null },
    });
  }
}

/** Changes labels and annotations of a claim. */
export async function patchClaim(
  { runtime: { client, signal }, namespace }: ClusterContext,
  name: string,
  metadata: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  },
): Promise<void> {
  await client.patch(PersistentVolumeClaim, { namespace, name }, { merge: { metadata } }, { fieldManager, signal });
}

/** Deletes claims that no pod of the namespace mounts. `isForced` skips this check: Kubernetes keeps a mounted claim until its pod is gone. */
export async function deleteClaims(
  context: ClusterContext,
  claims: readonly ClaimIdentity[],
  { isForced = false }: { readonly isForced?: boolean } = {},
): Promise<void> {
  const {
    runtime: { client, signal },
    namespace,
  } = context;
  if (claims.length === 0) return;
  // The cache has only the pods of clusters; any pod may mount a claim.
  const { items } = isForced ? { items: [] } : await client.list(Pod, { namespace, signal });
  const mounted = new Set(items.flatMap(mountedClaims));
  for (const { name, uid } of claims) {
    if (mounted.has(name)) continue;
    try {
      await client.delete(PersistentVolumeClaim, { namespace, name }, { preconditions: { uid }, signal });
      context.event(events.claimDeleted(name));
    } catch (error) {
      // Another claim of the same name: the next reconcile observes it.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
