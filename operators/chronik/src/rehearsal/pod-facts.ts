import type { DeepReadonly } from "homeostat";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { Component } from "../api/identity.ts";
import type { MemberPod } from "./members.ts";

/** Returns the facts about a pod that the timeline needs. */
export function podOf({ metadata, status }: DeepReadonly<Pod>, component: Component): MemberPod {
  const { name = "", uid = "", deletionTimestamp } = metadata;
  const isTerminating = deletionTimestamp !== undefined;
  const ordinal = component === "search" ? undefined : Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
  const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
  const restarts = (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
  return { name, uid, component, ordinal, isReady: isReady && !isTerminating, isTerminating, restarts };
}

/** Describes the last crash of a pod. */
export function describeCrash({ status }: DeepReadonly<Pod>): string {
  const container = status?.containerStatuses?.[0];
  const last = container?.lastState?.terminated;
  const reason = last === undefined ? "" : ` (${last.reason ?? "Error"}, exit code ${last.exitCode})`;
  return `its container restarted${reason}, ${container?.restartCount ?? 0} times in total`;
}
