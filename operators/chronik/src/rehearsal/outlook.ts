// The state of a rehearsed change: settled, in progress, blocked or failed, with the reasons.

import type { DeepReadonly } from "homeostat";
import type { Outlook } from "@homeostat/operator";
import type { ChronikCluster, ClusterStatus } from "../api/chronik-cluster.ts";
import type { ConditionType } from "../api/status.ts";
import type { GateWaits } from "./gate-waits.ts";
import { isNotable } from "./notable.ts";

/** Gates that a user must open. */
const manualGates: ReadonlySet<string> = new Set(["Manual"]);

/** Gates that open at a time of day, which their message contains. */
const timedGates: ReadonlySet<string> = new Set(["Window", "Canary"]);

/** Time without progress after which a change with a known blocker counts as blocked. */
const blockedAfterMs = 90_000;

/** Time without progress, beyond the time limits of the spec, after which any other change counts as blocked. */
const stuckAfterMs = 300_000;

/** The state of a change. */
export interface ChangeState {
  /** The cluster with its last status; undefined before the first one. */
  readonly cluster: DeepReadonly<ChronikCluster> | undefined;
  /** Gates that are closed. */
  readonly closed: GateWaits["closed"];
  /** Messages about pods that are not scheduled, by name. */
  readonly pending: ReadonlyMap<string, string>;
  /** Conditions that are caused by placeholders. */
  readonly ignored: ReadonlySet<ConditionType>;
  /** Time since the last progress. */
  readonly quietMs: number;
}

/** Decides whether a change that is not settled is in progress, blocked or failed. `now` and `deadline` are times of day, for gates that open at a time of day. */
export function decideOutlook(
  state: ChangeState,
  { now, deadline }: { readonly now: number; readonly deadline: number },
): Outlook {
  const { cluster, closed, quietMs } = state;
  if (cluster === undefined) return { type: "busy" };
  const { status, spec } = cluster;
  const isFailed = status.phase === "Failed";
  const opening = closed.flatMap(({ name, message }) => (timedGates.has(name) ? openingTimes(message) : []));
  const isBlocked =
    isFailed ||
    opening.some((time) => time > deadline) ||
    closed.some(({ name }) => manualGates.has(name)) ||
    (["ScaleDownBlocked", "CanaryFailed", "ReconciliationPaused"] as const).some((one) => isTrue(status, one)) ||
    status.conditions?.some((one) => one.type === "Progressing" && one.reason === "ProgressDeadlineExceeded");
  if (isBlocked !== true && opening.some((time) => time >= now - blockedAfterMs)) return { type: "busy" };
  const { progressDeadlineSeconds } = spec.updateStrategy;
  const limitMs = Math.max(progressDeadlineSeconds, spec.scaleDown.timeoutSeconds) * 1_000 + stuckAfterMs;
  if (quietMs < (isBlocked === true ? blockedAfterMs : limitMs)) return { type: "busy" };
  return { type: isFailed ? "failed" : "blocked", reasons: reasonsOf(state) };
}

/** Returns why a change is not finished. */
export function reasonsOf({ cluster, closed, pending, ignored }: Omit<ChangeState, "quietMs">): readonly string[] {
  if (cluster === undefined) return ["the operator has not written a status"];
  const { status } = cluster;
  const conditions = (status.conditions ?? [])
    .filter((condition) => isNotable(condition) && !ignored.has(condition.type))
    .map(({ type, message }) => `${type}: ${message}`);
  const gates = closed.map(({ component, name, message }) => `gate ${name} of ${component} is closed: ${message}`);
  const unscheduled = [...pending].map(([pod, message]) => `${pod} is not scheduled: ${message}`);
  const found = [...new Set([...conditions, ...gates, ...unscheduled])];
  if (found.length > 0) return found;
  const plan = (status.plan ?? []).map(({ step, target = "", waitsFor = "" }) => `${step} ${target}: ${waitsFor}`);
  return plan.length > 0 ? plan : [`the phase is ${status.phase ?? "Pending"}`];
}

/** Reports whether a cluster runs with its latest spec, and nothing is left to do. */
export function isSettled({ metadata, status }: DeepReadonly<ChronikCluster>): boolean {
  return (
    status.phase === "Running" &&
    status.observedGeneration === metadata.generation &&
    status.rollout?.startedAt === undefined &&
    (status.scaleDown ?? []).length === 0 &&
    (status.storage?.resizing ?? 0) === 0 &&
    (status.plan ?? []).length === 0
  );
}

/** Returns the time of day in the message of a gate. */
function openingTimes(message: string): number[] {
  const [found] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(message) ?? [];
  return found === undefined ? [] : [Date.parse(found)];
}

function isTrue({ conditions }: DeepReadonly<ClusterStatus>, type: ConditionType): boolean {
  return conditions?.some((one) => one.type === type && one.status === "True") === true;
}
