// Records events and metrics about changes of the status.

import { findCondition, formatTime } from "@homeostat/core";
import type { SandboxOutcome } from "../status/sandbox-outcome.ts";
import { permanentProblem, sandboxStatus } from "../status/sandbox-status.ts";
import { keyConflict } from "../status/group-status.ts";
import { sandboxEvents } from "./events.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/** Events by the reason of a permanent error. */
const problemEvents: Readonly<Record<string, (note: string) => ReturnType<typeof sandboxEvents.denied>>> = {
  BaselineMissing: sandboxEvents.baselineMissing,
  PatchFailed: sandboxEvents.patchFailed,
  PatchForbidden: sandboxEvents.denied,
  PolicyDenied: sandboxEvents.denied,
  LabelsMatchBaseline: sandboxEvents.labelsMatchBaseline,
  QuotaExceeded: sandboxEvents.quotaExceeded,
  ReadyTimeoutExceeded: sandboxEvents.forkFailed,
};

/** Records events about changes since the previous status, and the metrics of the sandbox. */
export function reportChanges(context: SandboxContext, outcome: SandboxOutcome): void {
  const { status: previous } = context;
  reportEntries(context, outcome);
  reportGroups(context, outcome);
  const problem = permanentProblem(outcome);
  const ready = findCondition(previous.conditions ?? [], "Ready");
  if (problem !== undefined && ready?.reason !== problem.reason) {
    const event = problemEvents[problem.reason];
    if (event !== undefined) context.event(event(problem.message));
  }
  if (outcome.routes.state === "programmed")
    context.eventOnChange("RoutesProgrammed", true, sandboxEvents.routesProgrammed);
  if (!outcome.ownsKey) {
    context.eventOnChange("KeyUnique", false, sandboxEvents.routingKeyConflict(keyConflict(outcome.routingKey)));
  }
  reportLifetime(context, outcome);
  record(context, outcome);
}

function reportEntries(context: SandboxContext, { entries }: SandboxOutcome): void {
  const before = new Map((context.status.services ?? []).map((state) => [state.name, state]));
  for (const { name, state, message = "", drift, driftReason, warnings } of entries) {
    const previous = before.get(name);
    if (state === "Ready" && previous?.status !== "Ready") context.event(sandboxEvents.forkReady(name));
    if (state === "Idle" && previous?.status === "Ready") context.event(sandboxEvents.idle);
    if (state !== "Idle" && previous?.status === "Idle") context.event(sandboxEvents.woken);
    if (state === "Failed" && previous?.status !== "Failed")
      context.event(sandboxEvents.forkFailed(`Entry ${name}: ${message}`));
    if (drift === "Behind" && previous?.drift === "InSync")
      context.event(sandboxEvents.baselineChanged(`Entry ${name}: ${message}`));
    if (driftReason === "RebaseFailed" && previous?.drift !== "Conflict")
      context.event(sandboxEvents.rebaseFailed(`Entry ${name}: ${message}`));
    for (const warning of warnings) {
      if (previous === undefined) context.event(sandboxEvents.volumeMayBlock(`Entry ${name}: ${warning.message}`));
    }
  }
}

function reportGroups(context: SandboxContext, { routeGroups }: SandboxOutcome): void {
  const before = new Set(context.status.routeGroups ?? []);
  const now = new Set(routeGroups);
  for (const group of now) if (!before.has(group)) context.event(sandboxEvents.routeGroupMatched(group));
  for (const group of before) if (!now.has(group)) context.event(sandboxEvents.routeGroupUnmatched(group));
}

function reportLifetime(context: SandboxContext, { lifetime }: SandboxOutcome): void {
  if (lifetime.state === "unlimited") return;
  const expiresAt = formatTime(lifetime.expiresAt);
  if (lifetime.state === "expiring") context.eventOnChange("Expiring", true, sandboxEvents.expiring(expiresAt));
  const { expiresAt: before } = context.status;
  if (before !== undefined && before < expiresAt && context.sandbox.spec.ttlFrom === "CreatedAt") {
    context.event(sandboxEvents.extended(expiresAt));
  }
}

function record(context: SandboxContext, outcome: SandboxOutcome): void {
  const { dependencies, runtime, namespace, name, createdAt, now, status: previous } = context;
  const { phase = "Pending", readyAt } = sandboxStatus(outcome).fields;
  if (readyAt !== undefined && previous.readyAt === undefined) {
    dependencies.metrics.readySeconds.observe({ namespace }, Math.max(0, now - createdAt) / 1_000);
  }
  dependencies.metrics.recordSandbox(runtime.key, {
    namespace,
    name,
    phase,
    usage: outcome.amounts,
    drifted: new Map(
      outcome.entries.flatMap((entry) =>
        entry.drift === undefined ? [] : [[entry.name, entry.drift !== "InSync"] as const],
      ),
    ),
  });
}
