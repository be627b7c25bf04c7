// Translates the decision about the search tier into Deployments to apply, keep and scale.

import { formatTime } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { ObjectRef } from "@homeostat/runtime";
import { fieldManager } from "../api/identity.ts";
import type { Color } from "../api/names.ts";
import type { SearchDecisions } from "../build/desired-objects.ts";
import type { SearchStep } from "../decide/search.ts";
import { assignSlots } from "../decide/slots.ts";
import { deploymentName } from "../observe/observe.ts";
import type { Observed, SearchColor } from "../observe/observed.ts";
import type { ClusterContext } from "./cluster-context.ts";

/** The search tier of one reconcile. */
export interface SearchPlan {
  readonly step: SearchStep;
  readonly decisions: SearchDecisions;
  /** Deployments that keep their current pod template. */
  readonly kept: readonly SearchColor[];
  /** Color that clients use after this reconcile. */
  readonly selected: SearchColor;
  /** Time of the last switch of the color, in milliseconds since 1970; undefined if there was none. */
  readonly switchedAt: number | undefined;
}

/** Input of {@link planSearch}. */
export interface SearchPlanInput {
  readonly observed: Observed;
  readonly step: SearchStep;
  readonly replicas: number;
  readonly templateHash: string;
  readonly now: number;
}

/** Translates the step of the search tier into Deployments, and assigns the slots. */
export function planSearch({ observed, step, replicas, templateHash, now }: SearchPlanInput): SearchPlan {
  const { deployments, activeColor, pods, slots } = observed.search;
  const isCurrent = (color: SearchColor): boolean =>
    deployments.some((one) => one.color === color && one.templateHash === templateHash);
  const selected = selectedColor(step, activeColor);
  const applied = new Set<SearchColor>();
  if (step.type === "apply") applied.add(step.color);
  // A Deployment with the desired template is applied in every reconcile, so that drift is corrected.
  const others = step.type === "remove" ? [selected] : deployments.map(({ color }) => color);
  for (const color of others) if (isCurrent(color) && (color === selected || step.type !== "wait")) applied.add(color);
  if (step.type === "wait" && isCurrent(step.color)) applied.add(step.color);
  const kept = deployments
    .map(({ color }) => color)
    .filter((color) => !applied.has(color) && !(step.type === "remove" && step.color === color));
  const isSwitched = step.type === "switch" && activeColor !== undefined;
  const switchedAt = isSwitched ? now : observed.previous.searchSwitchedAt;
  return {
    step,
    kept,
    selected,
    switchedAt,
    decisions: {
      deployments: [...applied].map((color) => ({ color: nameOf(color), replicas })),
      selected: {
        color: nameOf(selected),
        ...(switchedAt !== undefined && { switchedAt: formatTime(switchedAt) }),
      },
      slots: assignSlots(pods, slots).map(({ slot, pod }) => ({
        slot,
        pod: pod.podName,
        uid: pod.uid,
        address: pod.ip ?? "",
        node: pod.node,
        zone: pod.zone,
      })),
    },
  };
}

function selectedColor(step: SearchStep, active: SearchColor | undefined): SearchColor {
  if (step.type === "switch") return step.color;
  if (step.type === "apply" && !step.isSurge) return step.color;
  return active ?? "plain";
}

function nameOf(color: SearchColor): Color | undefined {
  return color === "plain" ? undefined : color;
}

/** Returns references to Deployments that must not be pruned. */
export function keptDeployments(
  { name, namespace }: ClusterContext,
  kept: readonly SearchColor[],
): readonly ObjectRef[] {
  return kept.map((color) => ({ type: Deployment, key: { namespace, name: deploymentName(name, color) } }));
}

/** Scales the active Deployment while a new pod template waits. Its template stays as it is. */
export async function scaleHeldDeployment(
  { runtime: { client, signal }, name: cluster, namespace }: ClusterContext,
  { observed, plan, replicas }: { readonly observed: Observed; readonly plan: SearchPlan; readonly replicas: number },
): Promise<void> {
  if (plan.step.type !== "hold") return;
  const { color } = plan.step;
  const live = observed.search.deployments.find((one) => one.color === color);
  if (live === undefined || live.desiredReplicas === replicas) return;
  const key = { namespace, name: deploymentName(cluster, color) };
  await client.patch(Deployment, key, { merge: { spec: { replicas } } }, { fieldManager, signal });
}
