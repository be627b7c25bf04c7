// The status of a sandbox, derived from the outcome of a reconcile.

import { cutText, formatTime, withoutUndefined } from "@homeostat/core";
import type { StatusPlan } from "@homeostat/runtime";
import { type Drift, type Sandbox, type SandboxReason } from "../api/sandbox.ts";
import { messageLengthMax } from "../api/spec-common.ts";
import { decidePhase } from "../decide/phase.ts";
import { endpointFields } from "./endpoints.ts";
import { keyConflict } from "./group-status.ts";
import type { EntryOutcome, PermanentProblem, SandboxOutcome } from "./sandbox-outcome.ts";

type Conditions = NonNullable<StatusPlan<Sandbox>["conditions"]>;

const is = <R extends string>(reason: R, message: string) => ({ status: true, reason, message: cut(message) });
const isNot = <R extends string>(reason: R, message: string) => ({ status: false, reason, message: cut(message) });

/** Returns the status of a sandbox that is not being deleted. */
export function sandboxStatus(outcome: SandboxOutcome): StatusPlan<Sandbox> {
  const { previous, generation } = outcome;
  const ready = readyCondition(outcome);
  const problem = permanentProblem(outcome);
  return {
    fields: {
      phase: decidePhase({
        isDeleted: false,
        hasPermanentError: problem !== undefined && !isRunningAnyway(outcome, problem),
        isReady: ready.status,
        previous: previous?.phase,
        isRetrying: false,
      }),
      observedGeneration: generation,
      readyAt: previous?.readyAt ?? (ready.status ? formatTime(outcome.now) : undefined),
      ...fields(outcome),
    },
    conditions: {
      Ready: ready,
      Progressing: progressing(outcome),
      Degraded: degraded(outcome),
      Suspended: outcome.isSuspended
        ? is("SuspendedByUser", "Forks have no pods and routes are removed while spec.suspend is true")
        : isNot("NotSuspended", "spec.suspend is false"),
      ForksReady: forksReady(outcome),
      RoutesProgrammed: routesProgrammed(outcome),
      BaselineInSync: baselineInSync(outcome),
      WithinQuota: outcome.quota.isWithin
        ? is("WithinQuota", "The forks are within all limits")
        : isNot(outcome.quota.reason, outcome.quota.message),
      KeyUnique: outcome.ownsKey
        ? is("KeyUnique", `No older object has the key ${outcome.routingKey}`)
        : isNot("RoutingKeyConflict", keyConflict(outcome.routingKey)),
      Expiring: expiring(outcome),
      PropagationBroken: propagationBroken(outcome),
    },
  };
}

function fields(outcome: SandboxOutcome): StatusPlan<Sandbox>["fields"] {
  const { lifetime, entries, lastActivityAt, usage } = outcome;
  const ready = entries.filter(({ state }) => state === "Ready" || state === "Idle").length;
  const time = (at: number | undefined): string | undefined => (at === undefined ? undefined : formatTime(at));
  return {
    routingKey: outcome.routingKey,
    createdBy: outcome.createdBy,
    specChangedAt: time(outcome.specChangedAt),
    expiresAt: lifetime.state === "unlimited" ? undefined : time(lifetime.expiresAt),
    lastActivityTime: time(lastActivityAt),
    services: entries.map(entryFields),
    endpoints: endpointFields(outcome.endpoints),
    routeGroups: outcome.routeGroups,
    usage,
    summary: { services: `${ready}/${entries.length}`, ...withoutUndefined({ drift: worstDrift(entries) }) },
  };
}

function entryFields({ name, mode, state, message, problem, ...entry }: EntryOutcome) {
  const { baseline, forkedFrom } = entry;
  return {
    name,
    mode,
    status: state,
    replicas: entry.replicas,
    readyReplicas: entry.readyReplicas,
    services: entry.services.map(({ baseline: service, fork, ports }) => ({
      baseline: service,
      ...withoutUndefined({ fork }),
      ports: ports.map(({ targetPort, ...port }) => ({ ...port, ...withoutUndefined({ targetPort }) })),
    })),
    missingPorts: entry.missingPorts,
    ...withoutUndefined({
      endpoint: entry.endpoint,
      forkName: entry.forkName,
      drift: entry.drift,
      message: cutOptional(problem?.message ?? message),
    }),
    ...(baseline && { baseline: { ...baseline, uid: baseline.uid ?? "" } }),
    ...(forkedFrom && { forkedFrom: { generation: forkedFrom.generation, templateHash: forkedFrom.templateHash } }),
  };
}

const driftOrder: readonly Drift[] = ["Gone", "Conflict", "Behind", "InSync"];

function worstDrift(entries: readonly EntryOutcome[]): Drift | undefined {
  return driftOrder.find((drift) => entries.some((entry) => entry.drift === drift));
}

/** Returns the first error that a retry cannot resolve, of the sandbox as a whole or of an entry. */
export function permanentProblem({ problem, entries, quota }: SandboxOutcome): PermanentProblem | undefined {
  if (problem !== undefined) return problem;
  const broken = entries.find((entry) => entry.problem !== undefined);
  if (broken?.problem !== undefined) {
    return { ...broken.problem, message: `Entry ${broken.name}: ${broken.problem.message}` };
  }
  return quota.isWithin ? undefined : { reason: "QuotaExceeded", message: quota.message };
}

/**
 * Reports whether forks of an earlier state of the sandbox run. An error then degrades the sandbox, but does not stop it. A fork that was not ready
 * in time at its first start does not count, although it exists.
 */
function isRunningAnyway({ entries }: SandboxOutcome, { reason }: PermanentProblem): boolean {
  return reason !== "ReadyTimeoutExceeded" && entries.some(({ isRunning }) => isRunning);
}

function readyCondition(outcome: SandboxOutcome) {
  const not = (reason: SandboxReason<"Ready">, message: string) => isNot(reason, message);
  const { entries, routes, isSuspended, ownsKey, routingKey } = outcome;
  if (isSuspended) return not("Suspended", "spec.suspend is true");
  const problem = permanentProblem(outcome);
  if (problem !== undefined) return not(problem.reason, problem.message);
  if (!ownsKey) return not("RoutingKeyConflict", keyConflict(routingKey));
  const forks = notReady(entries, "Fork");
  if (forks !== "") return not("ForksNotReady", forks);
  const locals = notReady(entries, "Local");
  if (locals !== "") return not("LocalWorkloadsNotConnected", locals);
  if (routes.state === "waiting" || routes.state === "failed") return not("RoutesNotProgrammed", routes.message);
  return { status: true, reason: "SandboxReady" as SandboxReason<"Ready">, message: "All entries are ready" };
}

function notReady(entries: readonly EntryOutcome[], mode: EntryOutcome["mode"]): string {
  return entries
    .filter((entry) => entry.mode === mode && entry.state !== "Ready" && entry.state !== "Idle")
    .map(({ name, message }) => `Entry ${name}: ${message ?? "not ready"}`)
    .join("; ");
}

function progressing(outcome: SandboxOutcome): Conditions["Progressing"] {
  const { provisioning, entries, routes, previous } = outcome;
  if (permanentProblem(outcome) !== undefined) return isNot("Blocked", "An error must be resolved first");
  if (provisioning !== undefined) return is("Provisioning", provisioning);
  const waiting = entries.filter(({ state }) => state === "Pending" || state === "Progressing");
  if (waiting.length > 0) {
    const reason = previous?.phase === "Running" ? "UpdatingForks" : "CreatingForks";
    return is(reason, `Waiting for entries ${waiting.map(({ name }) => name).join(", ")}`);
  }
  if (routes.state === "waiting") return is("ProgrammingRoutes", routes.message);
  return isNot("Complete", "Nothing is in progress");
}

function degraded(outcome: SandboxOutcome): Conditions["Degraded"] {
  const { entries, quota, routes } = outcome;
  const failed = entries.find(({ state }) => state === "Failed");
  if (failed !== undefined) return is("ForkFailed", `Entry ${failed.name}: ${failed.message ?? "its fork failed"}`);
  if (!quota.isWithin) return is("QuotaExceeded", quota.message);
  const conflict = entries.find(({ driftReason }) => driftReason === "RebaseFailed" || driftReason === "PatchConflict");
  if (conflict !== undefined) {
    const reason = conflict.driftReason === "RebaseFailed" ? "RebaseFailed" : "PatchConflict";
    return is(
      reason,
      `Entry ${conflict.name}: ${conflict.message ?? "its changes cannot be applied to the current baseline"}`,
    );
  }
  if (routes.reason === "TableTooLarge") return is("RoutesLimited", routes.message);
  const warned = entries.find(({ warnings }) => warnings.length > 0);
  const [warning] = warned?.warnings ?? [];
  if (warned !== undefined && warning !== undefined)
    return is(warning.reason, `Entry ${warned.name}: ${warning.message}`);
  return isNot("AsExpected", "No problems found");
}

function forksReady(outcome: SandboxOutcome): Conditions["ForksReady"] {
  const { entries, isSuspended } = outcome;
  const forks = entries.filter(({ mode }) => mode === "Fork");
  const problem = permanentProblem(outcome);
  if (problem !== undefined) return isNot(problem.reason, problem.message);
  if (forks.length === 0) return is("NoForks", "The sandbox has no forks");
  if (isSuspended) return isNot("Suspended", "spec.suspend is true");
  const failed = forks.find(({ state }) => state === "Failed");
  if (failed !== undefined) return isNot("ForkFailed", `Entry ${failed.name}: ${failed.message ?? "its fork failed"}`);
  const waiting = notReady(forks, "Fork");
  return waiting === "" ? is("AllForksReady", "All forks are ready or idle") : isNot("ForksProgressing", waiting);
}

function routesProgrammed({ routes, isSuspended, entries }: SandboxOutcome): Conditions["RoutesProgrammed"] {
  if (isSuspended) return isNot("Suspended", "spec.suspend is true");
  if (routes.state === "programmed")
    return is(routes.isHeaderLimited ? "HeaderFormsLimited" : "Programmed", routes.message);
  if (routes.state === "noRoutes") {
    const hasForks = entries.some(({ mode, state }) => mode === "Fork" && state !== "Missing");
    return hasForks
      ? is("NoService", "No Service selects the forked workloads, so there is nothing to route")
      : is("NoRoutes", routes.message);
  }
  return isNot(routes.reason ?? "WaitingForProxies", routes.message);
}

function baselineInSync({ entries }: SandboxOutcome): Conditions["BaselineInSync"] {
  const drifted = entries.filter(({ drift }) => drift !== undefined && drift !== "InSync");
  const [worst] = drifted.toSorted((a, b) => rank(a.drift) - rank(b.drift));
  if (worst !== undefined) {
    const names = drifted.map(({ name }) => name).join(", ");
    return isNot(worst.driftReason ?? "BaselineChanged", `Entries that differ from the current baseline: ${names}`);
  }
  if (entries.every(({ drift }) => drift === undefined)) return is("NoBaseline", "The sandbox has no forks");
  return is("InSync", "All forks are derived from the current baseline");
}

function rank(drift: Drift | undefined): number {
  return drift === undefined ? driftOrder.length : driftOrder.indexOf(drift);
}

function expiring({ lifetime }: SandboxOutcome): Conditions["Expiring"] {
  if (lifetime.state === "unlimited") return isNot("NeverExpires", "The sandbox does not expire");
  const at = formatTime(lifetime.expiresAt);
  if (lifetime.state === "alive") return isNot("NotExpiring", `The sandbox expires at ${at}`);
  return lifetime.state === "expiring"
    ? is("ExpiresSoon", `The sandbox expires at ${at}`)
    : is("Expired", `The sandbox expired at ${at}`);
}

function propagationBroken({ lostKey, lastActivityAt }: SandboxOutcome): Conditions["PropagationBroken"] {
  if (lostKey !== undefined) {
    const { from, to, count, traceId } = lostKey;
    const seen = `${count} sampled ${count === 1 ? "request" : "requests"}, such as that of trace ${traceId}`;
    return is("KeyLost", `Service ${from} calls ${to} without the routing key (${seen}); let it forward baggage`);
  }
  if (lastActivityAt !== undefined) return isNot("NoLossSeen", "No service was observed to lose the routing key");
  return { status: "Unknown", reason: "Pending", message: "No request was routed to the sandbox yet" };
}

function cut(text: string): string {
  return cutText(text, messageLengthMax);
}

function cutOptional(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text);
}
