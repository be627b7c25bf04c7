import { type ReconcileResult, TerminalError } from "homeostat";
import { formatTime, jitter, type Random } from "@homeostat/core";
import type { Component } from "../api/identity.ts";
import { decideCertificate } from "../decide/certificates.ts";
import { desiredCounts } from "../decide/counts.ts";
import { blockedRetryMs } from "../decide/scale-ingest.ts";
import type { StepDecision } from "../decide/plan.ts";
import type { QuorumState } from "../decide/quorum.ts";
import type { Context } from "../observe/kinds.ts";
import { observe } from "../observe/observe.ts";
import { progressOf } from "../status/progress.ts";
import { deriveFailure } from "../status/failure-status.ts";
import { withLastUpdated } from "../status/last-updated.ts";
import { counts, deriveStatus } from "../status/status.ts";
import type { StatusInput } from "../status/status-input.ts";
import { describeProblems } from "../validation/validate.ts";
import { clusterWarnings } from "../validation/warnings.ts";
import { heldByCanary, rollBackCanary } from "./canary.ts";
import { ClusterContext, type Dependencies } from "./cluster-context.ts";
import { dryRun } from "./dry-run.ts";
import { events } from "./events.ts";
import { bootstrapAddresses } from "./external-access.ts";
import { classifyFailure, errorToThrow, type Failure } from "./failures.ts";
import { type Performed, performStep } from "./members.ts";
import { applyObjects, createNodeGroups, objectsToApply, settleNodeGroups } from "./objects.ts";
import { checkBootstrap, decideMembers, type Members, observeMembers, withResponses } from "./observe-members.ts";
import { type Found, readPrerequisites } from "./prerequisites.ts";
import { render, type Rendered, replicaChange } from "./render.ts";
import { reportChanges } from "./report.ts";
import { keptDeployments, scaleHeldDeployment } from "./search.ts";
import { growStorage, settleClaims, type Storage } from "./storage.ts";

/** Interval of reconciles while a cluster changes. */
const changingMs = 10_000;

/** Interval after a step that another one can follow at once. */
const soonMs = 1_000;

/** Interval at which missing prerequisites are checked. */
const prerequisiteMs = { minMs: 30_000, maxMs: 60_000 };

/** Reconciles a cluster that is not being deleted. */
export async function reconcile(
  runtime: Context,
  dependencies: Dependencies,
  random: Random,
): Promise<ReconcileResult> {
  const { clock } = runtime;
  const { metrics } = dependencies;
  const controller = "chronikcluster";
  const startedAt = clock.monotonic();
  const context = new ClusterContext(runtime, dependencies);
  try {
    const result = await reconcileCluster(context, random);
    metrics.reconciliations.inc({ controller, result: context.isPaused ? "paused" : "success" });
    record(context, context.now);
    return result;
  } catch (error) {
    runtime.signal.throwIfAborted();
    const failure = await reportFailure(context, error);
    metrics.reconciliations.inc({ controller, result: failure.class.toLowerCase() });
    record(context, undefined);
    throw errorToThrow(failure);
  } finally {
    metrics.durations.observe({ controller }, (clock.monotonic() - startedAt) / 1_000);
  }
}

/** Records the status that was written last in the metrics. */
function record(
  { runtime: { all, key }, name, namespace, dependencies, status }: ClusterContext,
  succeededAt: number | undefined,
): void {
  const written = all.get(key)?.status ?? status;
  dependencies.metrics.record(key, { namespace, cluster: name, status: written, succeededAt });
}

/** Writes a failure to the status, and records it as an event and in the metrics. */
export async function reportFailure(context: ClusterContext, error: unknown): Promise<Failure> {
  const { runtime, status: previous, now, generation, currentStep: step, cluster } = context;
  const failure = classifyFailure(error);
  const { class: errorClass, reason, message, object } = failure;
  context.dependencies.metrics.errors.inc({ class: errorClass, reason, step });
  runtime.span.set({ "error.reason": reason, "error.step": step });
  // A version conflict is retried at once and is not a problem of the cluster.
  if (reason === "UpdateConflict") return failure;
  const plan = deriveFailure({
    failure: { class: errorClass, reason, message, step, ...(object !== undefined && { object }) },
    reason,
    correlationId: runtime.id,
    isDeleted: cluster.metadata.deletionTimestamp !== undefined,
    counts: memberCounts(context),
    previous,
    now,
    generation,
  });
  if (reason === "ValidationFailed") context.eventOnce(events.validationFailed(message));
  else if (reason === "ResourceConflict") context.eventOnce(events.resourceConflict(message));
  else context.event(events.failed(reason, message));
  runtime.setStatusPlan(plan);
  try {
    await runtime.saveStatus({ purpose: "report the failure" });
  } catch (second) {
    runtime.log.debug("Status not written after a failure", { error: second });
  }
  return failure;
}

async function reconcileCluster(context: ClusterContext, random: Random): Promise<ReconcileResult> {
  if (context.isPaused) return context.step("pause", () => pause(context));
  await context.step("validate", () => validate(context));
  const found = await context.step("prerequisites", () => readPrerequisites(context));
  await context.step("phase", () => acknowledge(context, found));

  const before = await context.step("observe", () => observeMembers(context, found));
  const isBootstrapped = await context.step("bootstrap", () => checkBootstrap(context, before));
  const scaling = decideMembers(context, before);
  const storage = await context.step("storage", () => growStorage(context, before.observed));
  const rendered = await context.step("render", () =>
    render(context, { before, found, storage, scaling, isBootstrapped }),
  );
  await apply(context, { before, found, storage, rendered });

  // Own writes are visible: a StatefulSet that has just changed is not observed yet, which closes the gates of restarts.
  const observed = withResponses(observe(context.runtime, found), before.observed);
  const after: Members = { ...before, observed };
  const decision = decideMembers(context, after);
  recordRollout(context, decision);
  const performed = await context.step("rollout", () => perform(context, { scaling, decision, after, found }));
  return context.step("status", () =>
    finish(context, { after, found, storage, rendered, decision, performed, isBootstrapped }, random),
  );
}

/** Records the next step, the voters of the quorum, and for each role with outdated members the gate that delays its next restart. */
function recordRollout({ runtime }: ClusterContext, { step, rollouts, quorum }: StepDecision): void {
  runtime.recordDecision("step", step.type);
  runtime.recordDecision("quorum", describeQuorum(quorum));
  for (const { component, outdated, closed } of rollouts) {
    if (outdated === 0) continue;
    const gate = closed === undefined ? "all gates are open" : `gate ${closed.gate} is closed`;
    runtime.recordDecision(`rollout of ${component}`, `${outdated} outdated, ${gate}`);
  }
}

/** Describes which voters have caught up with the leader, by the ordinals of their pods. */
function describeQuorum(quorum: QuorumState): string {
  if (quorum.source === "unknown") return quorum.reason;
  const { view, voting, size } = quorum;
  const listed = view?.voters.map(({ id }) => id - 1) ?? [...voting];
  const voters = listed.map((ordinal) => `${ordinal} ${voting.has(ordinal) ? "caught up" : "behind"}`);
  return `${voting.size} of ${size} voters count: ${voters.join(", ")}`;
}

/** Reconciles a paused cluster: writes only its status. */
async function pause(context: ClusterContext): Promise<ReconcileResult> {
  const { runtime, status: previous, now, generation } = context;
  const message = "Reconciliation is paused by the spec or by an annotation";
  const conditions = { ReconciliationPaused: { status: true, reason: "PausedByUser", message } } as const;
  const fields = memberCounts(context);
  runtime.setStatusPlan(withLastUpdated({ fields, conditions }, { previous, now, generation }));
  await runtime.saveStatus();
  if (context.condition("ReconciliationPaused")?.status !== "True") context.event(events.paused);
  // Resuming changes the spec or an annotation, which triggers a reconcile.
  return {};
}

/** Returns the counts of members for the status of a cluster whose reconcile is paused or has failed. Empty if the spec is not valid. */
function memberCounts(context: ClusterContext): ReturnType<typeof counts> {
  if (context.problems.length > 0) return {};
  const { runtime, resolved } = context;
  const observed = observe(runtime);
  const desired = desiredCounts({
    counts: resolved.counts,
    autoscaling: resolved.autoscalers,
    nodeGroups: observed.nodeGroups,
  });
  return counts({ progress: progressOf(observed, desired, resolved.hasSearch), desired });
}

function validate({ problems }: ClusterContext): void {
  if (problems.length > 0) throw new TerminalError({ reason: "ValidationFailed", message: describeProblems(problems) });
}

/** Writes the phase Creating before anything is created, so that users see that the operator handles the cluster. */
async function acknowledge({ runtime, status, now }: ClusterContext, { missing }: Found): Promise<void> {
  const { phase = "Pending" } = status;
  if (phase !== "Pending" || missing.length > 0) return;
  runtime.setStatus({ phase: "Creating", lastUpdated: formatTime(now) });
  await runtime.saveStatus();
}

/** Applies all objects step by step. */
async function apply(
  context: ClusterContext,
  { before, found, storage, rendered }: { before: Members; found: Found; storage: Storage; rendered: Rendered },
): Promise<void> {
  const { decisions, search } = rendered;
  const canary = heldByCanary(context);
  const held = new Set<Component>([...found.waiting, ...storage.recreated, ...(canary === undefined ? [] : [canary])]);
  const { observed } = before;
  const kept = held.has("search") ? observed.search.deployments.map(({ color }) => color) : (search?.kept ?? []);
  const objects = objectsToApply(context, { decisions, held });
  await context.step("dryrun", () => dryRun(context, objects.build));
  await context.step("nodegroups", () => createNodeGroups(context, decisions.replicas));
  await context.step("objects", () =>
    applyObjects(context, { objects, keep: keptDeployments(context, kept), wasComplete: wasComplete(context) }),
  );
  await context.step("canary", () => rollBackCanary(context, { observed, replicas: decisions.replicas }));
  if (search?.step.type === "switch") context.event(events.searchSwitched(search.step.color));
  if (search !== undefined)
    await context.step("search", () =>
      scaleHeldDeployment(context, { observed, plan: search, replicas: decisions.replicas.search }),
    );
  await context.step("claims", () => settleClaims(context, observe(context.runtime)));
}

/** Reports whether an earlier reconcile of the same generation applied everything. Then a missing object is drift. */
function wasComplete(context: ClusterContext): boolean {
  const { status, generation } = context;
  return status.observedGeneration === generation && status.phase === "Running";
}

interface PerformInput {
  readonly scaling: StepDecision;
  readonly decision: StepDecision;
  readonly after: Members;
  readonly found: Found;
}

/** Performs the step of this reconcile, unless it was a new replica count, which has been applied. */
async function perform(context: ClusterContext, { scaling, decision, after, found }: PerformInput): Promise<Performed> {
  const change = replicaChange(scaling.step);
  if (change === undefined)
    return performStep(context, { observed: after.observed, step: decision.step, apiKey: found.apiKey });
  const { component, from, to } = change;
  const what = `${component} from ${from} to ${to}`;
  context.event(to > from ? events.scaledUp(what) : events.scaledDown(what));
  return { isProgress: true };
}

interface FinishInput {
  readonly after: Members;
  readonly found: Found;
  readonly storage: Storage;
  readonly rendered: Rendered;
  readonly decision: StepDecision;
  readonly performed: Performed;
  readonly isBootstrapped: boolean;
}

/** Writes the status, and returns when to reconcile again. */
async function finish(context: ClusterContext, input: FinishInput, random: Random): Promise<ReconcileResult> {
  const { runtime, resolved, generation, now, status: previous, dependencies, cluster } = context;
  const { after, found, storage, rendered, decision, performed, isBootstrapped } = input;
  const { observed, desired } = after;
  const { tls } = resolved.security;
  const [certificate] = observed.certificates;
  const progress = progressOf(observed, desired, resolved.hasSearch);
  const { nodeGroups } = observed;
  const autoscaled = Object.fromEntries(Object.entries(nodeGroups).filter(([, count]) => count !== undefined));
  const status: StatusInput = {
    resolved,
    generation,
    now,
    operatorVersion: dependencies.operatorVersion(),
    previous,
    observed,
    progress,
    desired,
    decision,
    bootstrapped: isBootstrapped,
    configHash: rendered.configHashes,
    missing: found.missing,
    warnings: dependencies.warnings.of(cluster, JSON.stringify(autoscaled), () =>
      clusterWarnings(cluster, { autoscaled }),
    ),
    volumes: {
      condition: storage.condition,
      resizing: storage.order.resizing,
      larger: storage.order.larger,
      isRecreating: storage.recreated.length > 0,
    },
    search: {
      slots: rendered.decisions.search.slots,
      selected: rendered.search?.selected ?? "plain",
      switchedAt: rendered.search?.switchedAt,
      closed: rendered.search?.step.type === "hold" ? rendered.search.step.closed : undefined,
    },
    restart: performed.restart,
    refusedByBudget: performed.refusedByBudget,
    externalAddresses: bootstrapAddresses(context, { members: observed.ingest.members, nodes: found.nodes }),
    certificate: tls && {
      decision: decideCertificate(found.isCertificateMissing ? "missing" : certificate, now),
      found: certificate,
    },
  };
  const derived = deriveStatus(status);
  const { phase } = derived.phase;
  runtime.setStatusPlan(derived.plan);
  await runtime.saveStatus();
  reportChanges(context, status, derived);
  await settleNodeGroups(context, (component) => ({
    replicas: progress[component]?.replicas ?? 0,
    readyReplicas: progress[component]?.ready ?? 0,
    effectiveReplicas: desired[component],
  }));
  return { requeueAfterMs: Math.max(soonMs, requeueMs(context, { ...input, phase, status }, random)) };
}

function requeueMs(
  { settings, now }: ClusterContext,
  {
    found,
    performed,
    decision,
    storage,
    phase,
    status,
  }: FinishInput & { readonly phase: string; readonly status: StatusInput },
  random: Random,
): number {
  if (performed.isProgress) return soonMs;
  if (found.missing.length > 0)
    return prerequisiteMs.minMs + (prerequisiteMs.maxMs - prerequisiteMs.minMs) * random.next();
  if (storage.recreated.length > 0) return soonMs;
  const resync = jitter(random, settings.resyncSeconds * 1_000, 0.1);
  const changes = [decision.reconsiderAt, status.certificate?.decision.changesAt]
    .filter((at) => at !== undefined)
    .map((at) => at - now);
  const isWaiting = decision.rollouts.every(({ outdated, closed }) => outdated === 0 || closed?.gate === "Window");
  const isBlocked = isWaiting && decision.rollouts.some(({ outdated }) => outdated > 0);
  if (phase === "Running" || isBlocked) return Math.min(resync, ...changes);
  return Math.min(isOnlyScaleDownBlocked(status) ? blockedRetryMs : changingMs, ...changes);
}

/** Reports whether a cluster waits only for a blocked scale-down. In that case nothing changes soon, and a changed pod triggers a reconcile. */
function isOnlyScaleDownBlocked({ decision, progress, search, volumes }: StatusInput): boolean {
  const { controller, ingest, search: searchProgress } = progress;
  return (
    decision.scaleDownBlock !== undefined &&
    decision.rollouts.every(({ outdated }) => outdated === 0) &&
    search.closed === undefined &&
    !volumes.isRecreating &&
    volumes.condition.reason !== "Resizing" &&
    [controller, ingest, ...(searchProgress === undefined ? [] : [searchProgress])].every(
      ({ isObserved, ready, replicas }) => isObserved && ready === replicas,
    ) &&
    controller.replicas === controller.desired
  );
}
