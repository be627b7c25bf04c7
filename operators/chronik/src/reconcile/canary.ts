// Rollback of a failed canary.
//
//   failure recorded in the status -> former pod template applied -> failed pods are outdated and restart -> held until the spec changes
//
// The failure is recorded first, and the rollback follows from the record. A crash in between therefore repeats the rollback and loses nothing.

import { isRecord } from "@homeostat/core";
import { ControllerRevision, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { fieldManager, type StatefulComponent } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Observed } from "../observe/observed.ts";
import type { ClusterContext } from "./cluster-context.ts";

/** Returns the component whose pod template is held, because its canary failed with the current spec; undefined if none is. */
export function heldByCanary({
  status: { canary },
  generation,
  resolved,
}: ClusterContext): StatefulComponent | undefined {
  const isHeld = resolved.updateStrategy.canary !== undefined && canary?.failedGeneration === generation;
  return isHeld ? canary.component : undefined;
}

/** Applies the former pod template of a held component, unless it has it, and its replica count. */
export async function rollBackCanary(
  context: ClusterContext,
  {
    observed,
    replicas,
  }: { readonly observed: Observed; readonly replicas: Readonly<Record<StatefulComponent, number>> },
): Promise<void> {
  const component = heldByCanary(context);
  const {
    runtime: { client, signal },
    namespace,
    status,
  } = context;
  if (component === undefined) return;
  const { set, members } = observed[component];
  if (set === undefined || set.isTerminating) return;
  const template =
    set.updateRevision === status.canary?.failedRevision
      ? await templateOf(context, members.find(({ revision }) => revision !== set.updateRevision)?.revision)
      : undefined;
  const isScaled = set.replicas !== replicas[component];
  if (template === undefined && !isScaled) return;
  const json = [
    { op: "test", path: "/metadata/uid", value: set.uid },
    ...(template === undefined ? [] : [{ op: "replace" as const, path: "/spec/template", value: template }]),
    ...(isScaled ? [{ op: "replace" as const, path: "/spec/replicas", value: replicas[component] }] : []),
  ] as const;
  const name = names.component(context.name, component);
  await client.patch(StatefulSet, { namespace, name }, { json }, { fieldManager, signal });
}

/** Returns the pod template of a revision; undefined if the StatefulSet has forgotten it. */
async function templateOf(
  { runtime: { client, signal }, namespace }: ClusterContext,
  revision: string | undefined,
): Promise<unknown> {
  if (revision === undefined) return undefined;
  const found = await client.get(ControllerRevision, { namespace, name: revision }, { signal });
  const data: unknown = found?.data;
  const spec: unknown = isRecord(data) ? data["spec"] : undefined;
  const template: unknown = isRecord(spec) ? spec["template"] : undefined;
  if (!isRecord(template)) return undefined;
  // A directive of the strategic merge patch that the StatefulSet controller stores.
  const { $patch: _directive, ...rest } = template;
  return rest;
}
