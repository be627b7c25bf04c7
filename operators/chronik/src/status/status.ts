// The status of a cluster, derived from what was observed and decided.

import type { ConditionValue, DeepReadonly, StatusPlan } from "homeostat";
import { cutText, findCondition, formatTime, isEqual } from "@homeostat/core";
import type { ChronikCluster, ClusterStatus, LastError } from "../api/chronik-cluster.ts";
import { type Component, statefulComponents } from "../api/identity.ts";
import { selectorText } from "../api/labels.ts";
import { bootstrapServers, memberAddress, names } from "../api/names.ts";
import { type ConditionType, type ErrorReason, messageLengthMax, type Reason } from "../api/status.ts";
import type { ResolvedCluster } from "../build/resolve.ts";
import type { SearchSlot } from "../build/search-slots.ts";
import type { CertificateDecision } from "../decide/certificates.ts";
import type { ClosedGate } from "../decide/gates.ts";
import { isStuck } from "../decide/members.ts";
import type { Restart } from "../decide/next-restart.ts";
import { decidePhase, type PhaseDecision } from "../decide/phase.ts";
import type { StepDecision } from "../decide/plan.ts";
import { isQuorumHealthy, leaderOrdinal } from "../decide/quorum.ts";
import type { Observed, ObservedCertificate, SearchColor } from "../observe/observed.ts";
import type { ClusterWarning } from "../validation/warnings.ts";
import type { Progress } from "./progress.ts";

type Fields = StatusPlan<ChronikCluster>["fields"];

type Conditions = { readonly [C in ConditionType]?: ConditionValue<Reason<C>> | undefined };

/** Everything that the status of a reconcile without error depends on. */
export interface StatusInput {
  readonly resolved: ResolvedCluster;
  readonly generation: number;
  readonly now: number;
  readonly operatorVersion: string;
  /** The status before the reconcile. */
  readonly previous: DeepReadonly<ClusterStatus>;
  readonly observed: Observed;
  readonly progress: Progress;
  readonly desired: Readonly<Record<Component, number>>;
  readonly decision: StepDecision;
  readonly bootstrapped: boolean;
  readonly configHash: Readonly<Partial<Record<Component, string>>>;
  /** Messages about missing prerequisites. */
  readonly missing: readonly string[];
  readonly warnings: readonly ClusterWarning[];
  readonly volumes: {
    readonly condition: ConditionValue<Reason<"VolumesResized">>;
    readonly resizing: number;
    readonly larger: readonly string[];
    readonly isRecreating: boolean;
  };
  readonly search: {
    readonly slots: readonly SearchSlot[];
    readonly selected: SearchColor;
    readonly switchedAt: number | undefined;
    /** Closed gate that a new pod template of search nodes waits for. */
    readonly closed: ClosedGate | undefined;
  };
  /** The restart that this reconcile performed. */
  readonly restart: Restart | undefined;
  /** Closed gate Budget: the API server refused the eviction. */
  readonly refusedByBudget: { readonly restart: Restart; readonly message: string } | undefined;
  readonly externalAddresses: readonly string[];
  readonly certificate:
    | { readonly decision: CertificateDecision; readonly found: ObservedCertificate | undefined }
    | undefined;
}

/** A status and the phase decision behind it. */
export interface DerivedStatus {
  readonly plan: StatusPlan<ChronikCluster>;
  readonly phase: PhaseDecision;
}

/** Derives the status of a reconcile without error. */
export function deriveStatus(input: StatusInput): DerivedStatus {
  const phase = phaseOf(input);
  const rollout = rolloutOf(input);
  const scaleDown = scaleDownOf(input);
  const fields: Fields = {
    phase: phase.phase,
    observedGeneration: input.generation,
    bootstrapped: input.bootstrapped,
    initialized: phase.initialized,
    selector: selectorText(input.resolved.name, "ingest"),
    ...addresses(input),
    ...counts(input),
    quorum: quorumOf(input),
    rollout,
    scaleDown,
    configHash: { ...input.configHash },
    plan: input.decision.plan.map((entry) => ({ ...entry, waitsFor: cut(entry.waitsFor) })),
    operatorVersion: operatorVersionOf(input, phase),
    searchColor: searchColorOf(input),
    canary: canaryOf(input),
    storage: {
      requested: input.resolved.storage.size,
      claims: input.observed.claims.length,
      resizing: input.volumes.resizing,
      larger: input.volumes.larger.slice(0, 100),
    },
    certificate: input.certificate?.found && {
      secret: input.certificate.found.secret,
      notBefore: formatTime(input.certificate.found.notBefore),
      notAfter: formatTime(input.certificate.found.notAfter),
    },
    warnings: input.warnings.slice(0, 20).map(({ reason, message }) => ({ reason, message: cut(message) })),
    lastError: undefined,
  };
  return { phase, plan: withLastUpdated({ fields, conditions: conditionsOf(input, phase) }, input) };
}

function cut(text: string): string {
  return cutText(text, messageLengthMax);
}

function phaseOf({ observed, progress, decision, missing, volumes, search, previous }: StatusInput): PhaseDecision {
  const isOutdated = decision.rollouts.some(({ outdated }) => outdated > 0);
  const { controller, ingest, search: searchProgress } = progress;
  return decidePhase({
    isDeleted: false,
    errorClass: undefined,
    isPaused: false,
    arePrerequisitesMissing: missing.length > 0,
    hasWorkloads: observed.controller.set !== undefined || observed.ingest.set !== undefined,
    components: { controller, ingest, ...(searchProgress !== undefined && { search: searchProgress }) },
    isRestarting: isOutdated || search.closed !== undefined,
    isResizing: volumes.isRecreating || volumes.condition.reason === "Resizing",
    previous: { phase: previous.phase, initialized: previous.initialized ?? false },
  });
}

function addresses(input: StatusInput): Fields {
  const { resolved, observed, search, externalAddresses } = input;
  const ready = (component: "controller" | "ingest"): string[] =>
    observed[component].members
      .filter(({ readySince }) => readySince !== undefined)
      .map(({ ordinal }) => memberAddress(resolved, component, ordinal));
  return {
    controllers: ready("controller"),
    ingestNodes: ready("ingest"),
    searchNodes: resolved.hasSearch ? search.slots.map(({ slot }) => memberAddress(resolved, "search", slot)) : [],
    bootstrapServers: bootstrapServers(resolved),
    externalBootstrapServers: externalAddresses.length === 0 ? undefined : [...externalAddresses],
  };
}

/** Returns the counts of members by component. */
export function counts({ progress, desired }: Pick<StatusInput, "progress" | "desired">): Fields {
  const { controller, ingest, search } = progress;
  const pick = (field: "replicas" | "ready" | "updated") => ({
    controllers: controller[field],
    ingestNodes: ingest[field],
    searchNodes: search?.[field] ?? 0,
  });
  const wanted = { controllers: desired.controller, ingestNodes: desired.ingest, searchNodes: desired.search };
  const ready = pick("ready");
  return {
    replicas: pick("replicas"),
    readyReplicas: ready,
    updatedReplicas: pick("updated"),
    desiredReplicas: wanted,
    summary: {
      controllers: `${ready.controllers}/${wanted.controllers}`,
      ingestNodes: `${ready.ingestNodes}/${wanted.ingestNodes}`,
      searchNodes: `${ready.searchNodes}/${wanted.searchNodes}`,
    },
  };
}

function quorumOf({ decision: { shownQuorum: quorum }, resolved: { name } }: StatusInput): ClusterStatus["quorum"] {
  const leader = leaderOrdinal(quorum);
  return {
    voters: quorum.size,
    ready: quorum.source === "unknown" ? 0 : quorum.live.size,
    ...(leader !== undefined && { leader: names.member(name, "controller", leader) }),
  };
}

/** Returns the state of the rollout. The last restart stays: the delay between two restarts is measured from it. */
function rolloutOf({
  decision,
  restart,
  refusedByBudget,
  previous,
  progress,
  now,
  search,
}: StatusInput): ClusterStatus["rollout"] {
  const { rollout } = previous;
  const time = formatTime(now);
  const last =
    restart === undefined
      ? {
          ...(rollout?.component !== undefined && { component: rollout.component }),
          ...(rollout?.pod !== undefined && { pod: rollout.pod }),
          ...(rollout?.reasons !== undefined && { reasons: [...rollout.reasons] }),
          ...(rollout?.lastRestartTime !== undefined && { lastRestartTime: rollout.lastRestartTime }),
        }
      : { component: restart.component, pod: restart.podName, reasons: [...restart.reasons], lastRestartTime: time };
  const states = decision.rollouts.map(({ component, outdated, closed }) => {
    const isRefused = refusedByBudget?.restart.component === component;
    const gate: ClosedGate | undefined = isRefused ? { gate: "Budget", message: refusedByBudget.message } : closed;
    return { component, outdated, gate };
  });
  const all: readonly { component: Component; outdated: number; gate: ClosedGate | undefined }[] = [
    ...states,
    ...(search.closed === undefined ? [] : [{ component: "search" as const, outdated: 1, gate: search.closed }]),
  ];
  const isOutdated = all.some(({ outdated }) => outdated > 0);
  // While the first pods are created, the revision of their StatefulSet is not known yet: that is no rollout.
  const isStarted = isOutdated && (previous.initialized === true || restart !== undefined);
  const isEnding = rollout?.startedAt !== undefined && !arePodsUpdated(progress);
  const components = all
    .filter(({ outdated }) => outdated > 0)
    .map(({ component, outdated, gate }) => {
      const before = rollout?.components?.find((one) => one.component === component);
      const isSame = before?.blockedBy === gate?.gate && before?.blockedSince !== undefined;
      return {
        component,
        outdated,
        ...(gate !== undefined && {
          blockedBy: gate.gate,
          message: cut(gate.message),
          blockedSince: isSame ? before.blockedSince : time,
        }),
      };
    });
  const result = {
    ...last,
    ...((isStarted || isEnding) && { startedAt: rollout?.startedAt ?? time }),
    ...(components.length > 0 && { components }),
  };
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Reports whether all pods have the present template and are ready. */
function arePodsUpdated({ controller, ingest, search }: Progress): boolean {
  const all = [controller, ingest, ...(search === undefined ? [] : [search])];
  return all.every(({ replicas, ready, updated }) => ready === replicas && updated === replicas);
}

/** Returns the members that are being removed. Time limits of drains and of the transfer of leadership are measured from their start. */
function scaleDownOf({
  observed,
  desired,
  decision: { step },
  previous,
  now,
  resolved,
}: StatusInput): ClusterStatus["scaleDown"] {
  const isCancelled = step.type === "ingest" && step.step.type === "cancelDrain";
  const removed = statefulComponents.flatMap((component) => {
    const { set } = observed[component];
    const before = previous.scaleDown?.find((one) => one.component === component);
    if (set === undefined || set.replicas <= desired[component]) {
      // The drain must be known until it is cancelled.
      return isCancelled && component === "ingest" && before !== undefined ? [{ ...before }] : [];
    }
    const pod = names.member(resolved.name, component, set.replicas - 1);
    return [{ component, pod, startedAt: before?.pod === pod ? before.startedAt : formatTime(now) }];
  });
  return removed.length === 0 ? undefined : removed;
}

/** Returns the version of the operator that the pods are up to date with: this one once the cluster runs, or once a user changed the spec. */
function operatorVersionOf(
  { operatorVersion, previous, generation }: StatusInput,
  { phase }: PhaseDecision,
): string | undefined {
  const isChangedByUser = previous.observedGeneration !== undefined && previous.observedGeneration !== generation;
  return phase === "Running" || isChangedByUser ? operatorVersion : previous.operatorVersion;
}

function searchColorOf({ search: { selected, switchedAt }, resolved }: StatusInput): ClusterStatus["searchColor"] {
  if (selected === "plain" || !resolved.hasSearch) return undefined;
  return { active: selected, ...(switchedAt !== undefined && { switchedAt: formatTime(switchedAt) }) };
}

/** Returns the failed canary until the spec changes, or the one that is observed: a user approves it by its revision. */
function canaryOf({ decision, previous, resolved, generation }: StatusInput): ClusterStatus["canary"] {
  const { step, rollouts } = decision;
  if (resolved.updateStrategy.canary === undefined) return undefined;
  if (step.type === "rollBackCanary") {
    const { component, revision } = step;
    return { component, revision, failedRevision: revision, failedGeneration: generation };
  }
  if (previous.canary?.failedGeneration === generation) return { ...previous.canary };
  for (const { component, revision, canary } of rollouts) {
    if (canary.type === "rolling") return { component, revision };
    if (canary.type === "baking")
      return { component, revision, ...(canary.since !== undefined && { startedAt: formatTime(canary.since) }) };
  }
  return undefined;
}

function failedCanaryOf(
  input: StatusInput,
): (ConditionValue<Reason<"CanaryFailed">> & { message: string }) | undefined {
  const { step } = input.decision;
  const failed = canaryOf(input)?.failedRevision;
  if (failed === undefined) return undefined;
  const before = findCondition(input.previous.conditions ?? [], "CanaryFailed");
  const isRestart = step.type === "rollBackCanary" ? step.reason === "PodRestarted" : before?.reason === "PodRestarted";
  const message = `the canary of revision ${failed} failed; change the spec to start another rollout`;
  return { status: true, reason: isRestart ? "PodRestarted" : "PodNotReady", message };
}

function conditionsOf(input: StatusInput, phase: PhaseDecision): Conditions {
  const { progress, decision, missing, warnings, volumes, certificate, resolved } = input;
  const { controller, ingest, search } = progress;
  const shown = ({ ready, desired }: { ready: number; desired: number }, what: string): string =>
    `${ready}/${desired} ${what} ready`;
  const isComplete = ({ ready, desired }: { ready: number; desired: number }): boolean => ready >= desired;
  const block = decision.scaleDownBlock;
  const failedCanary = failedCanaryOf(input);
  const missingText = cut(missing.join("; "));
  return {
    Ready: readyOf(input, phase),
    ControllersReady: isComplete(controller)
      ? { status: true, reason: "AllControllersReady", message: shown(controller, "controllers") }
      : { status: false, reason: "ControllersNotReady", message: shown(controller, "controllers") },
    IngestNodesReady: isComplete(ingest)
      ? { status: true, reason: "AllIngestNodesReady", message: shown(ingest, "ingest nodes") }
      : { status: false, reason: "IngestNodesNotReady", message: shown(ingest, "ingest nodes") },
    SearchNodesReady:
      search &&
      (isComplete(search)
        ? { status: true, reason: "AllSearchNodesReady", message: shown(search, "search nodes") }
        : { status: false, reason: "SearchNodesNotReady", message: shown(search, "search nodes") }),
    QuorumHealthy: quorumCondition(input),
    Progressing: progressing(input, phase),
    Degraded: degraded(input),
    SpecValid: { status: true, reason: "Valid" },
    SpecWarnings:
      warnings[0] === undefined
        ? { status: false, reason: "None" }
        : { status: true, reason: warnings[0].reason, message: cut(warnings.map(({ message }) => message).join("; ")) },
    PrerequisitesMet:
      missing.length === 0
        ? { status: true, reason: "Found" }
        : { status: false, reason: "PrerequisiteMissing", message: missingText },
    ReconcileSucceeded: { status: true, reason: "Success" },
    VolumesResized: volumes.condition,
    ScaleDownBlocked:
      block === undefined
        ? { status: false, reason: "NotBlocked" }
        : { status: true, reason: block.reason, message: cut(block.message) },
    CanaryFailed:
      resolved.updateStrategy.canary &&
      (failedCanary !== undefined
        ? { status: true, reason: failedCanary.reason, message: cut(failedCanary.message) }
        : { status: false, reason: "NotFailed" }),
    CertificateValid: certificate && {
      status: certificate.decision.status,
      reason: certificate.decision.reason,
      message: certificate.decision.message,
    },
    ReconciliationPaused: undefined,
    DeletionBlocked: undefined,
  };
}

function readyOf(input: StatusInput, { phase }: PhaseDecision): ConditionValue<Reason<"Ready">> {
  const { missing, progress, decision, search } = input;
  if (phase === "Running") {
    return { status: true, reason: "AllComponentsReady", message: "All Chronik Stream components are running" };
  }
  if (missing.length > 0) return { status: false, reason: "PrerequisiteMissing", message: cut(missing.join("; ")) };
  const all = [progress.controller, progress.ingest, ...(progress.search ? [progress.search] : [])];
  if (all.some(({ ready, desired, replicas }) => ready < Math.min(desired, Math.max(replicas, 1)))) {
    return { status: false, reason: "ComponentsNotReady", message: summaryOf(input) };
  }
  if (decision.rollouts.some(({ outdated }) => outdated > 0) || search.closed !== undefined) {
    return { status: false, reason: "RolloutInProgress", message: summaryOf(input) };
  }
  const isScaling = all.some(({ replicas, desired }) => replicas !== desired);
  return { status: false, reason: isScaling ? "ScalingInProgress" : "ComponentsNotReady", message: summaryOf(input) };
}

function summaryOf({ progress: { controller, ingest, search } }: StatusInput): string {
  const parts = [
    `${controller.ready}/${controller.desired} controllers`,
    `${ingest.ready}/${ingest.desired} ingest nodes`,
    ...(search === undefined ? [] : [`${search.ready}/${search.desired} search nodes`]),
  ];
  return `${parts.join(", ")} ready`;
}

function quorumCondition({
  decision: { shownQuorum: quorum },
  observed,
}: StatusInput): ConditionValue<Reason<"QuorumHealthy">> {
  if (
    !observed.controller.members.some(({ readySince }) => readySince !== undefined) &&
    !observed.previous.bootstrapped
  )
    return { status: "Unknown", reason: "NotStarted", message: "no controller is ready yet" };
  if (quorum.source === "unknown") return { status: false, reason: "NoLeader", message: cut(quorum.reason) };
  const message = `${quorum.live.size} of ${quorum.size} voters are ready`;
  return isQuorumHealthy(quorum)
    ? { status: true, reason: "MajorityReady", message }
    : { status: false, reason: "QuorumLost", message };
}

function latePods({ decision }: StatusInput): readonly string[] {
  return decision.rollouts.flatMap(({ progress }) => progress.latePods);
}

function progressing(input: StatusInput, { phase }: PhaseDecision): ConditionValue<Reason<"Progressing">> {
  const { decision, volumes, search, progress } = input;
  const late = latePods(input);
  if (late.length > 0)
    return {
      status: false,
      reason: "ProgressDeadlineExceeded",
      message: `${late.join(", ")} did not become ready in time`,
    };
  if (phase === "Running") return { status: false, reason: "Complete" };
  if (phase === "Creating" || phase === "Pending")
    return { status: true, reason: "Creating", message: summaryOf(input) };
  if (volumes.isRecreating) return { status: true, reason: "RecreatingStatefulSet" };
  if (volumes.condition.reason === "Resizing") return { status: true, reason: "ResizingVolumes" };
  const blocked = decision.rollouts.find(
    ({ outdated, closed }) => outdated > 0 && closed !== undefined && lasting.has(closed.gate),
  );
  if (blocked?.closed !== undefined)
    return { status: false, reason: "Blocked", message: cut(`${blocked.closed.gate}: ${blocked.closed.message}`) };
  if (decision.rollouts.some(({ outdated }) => outdated > 0) || search.closed !== undefined)
    return { status: true, reason: "RollingUpdate", message: summaryOf(input) };
  const all = [progress.controller, progress.ingest, ...(progress.search ? [progress.search] : [])];
  const isScaling = all.some(({ replicas, desired }) => replicas !== desired);
  return { status: true, reason: isScaling ? "Scaling" : "RollingUpdate", message: summaryOf(input) };
}

/** Gates that wait for a user or for a time, not for the next pod. */
const lasting: ReadonlySet<string> = new Set(["Manual", "Window", "RolloutLimit", "ComponentCheck"]);

function degraded(input: StatusInput): ConditionValue<Reason<"Degraded">> {
  const { observed, progress, now, previous } = input;
  const late = latePods(input);
  if (late.length > 0)
    return {
      status: true,
      reason: "ProgressDeadlineExceeded",
      message: `${late.join(", ")} did not become ready in time`,
    };
  if (observed.previous.bootstrapped && quorumCondition(input).reason === "QuorumLost")
    return { status: true, reason: "QuorumLost", message: "the controllers have no majority" };
  const members = [...observed.controller.members, ...observed.ingest.members];
  const stuck = members.filter((member) => isStuck(member, now));
  if (stuck.length > 0) {
    const message = stuck.map(({ podName, stuck: why }) => `${podName}: ${why?.reason ?? ""}`).join("; ");
    return { status: true, reason: "PodsStuck", message: cut(message) };
  }
  const all = [progress.controller, progress.ingest, ...(progress.search ? [progress.search] : [])];
  const isShort = previous.initialized === true && all.some(({ ready, desired }) => ready < desired);
  return isShort
    ? { status: true, reason: "PodsNotReady", message: summaryOf(input) }
    : { status: false, reason: "AsExpected" };
}

/** Fields that do not count as content: a status that differs only in them is not written. */
type Times = Pick<StatusInput, "now" | "previous" | "generation">;

/** Adds the time of the last change; without a change of the content, the former time. */
export function withLastUpdated(
  { fields, conditions }: { readonly fields: Fields; readonly conditions: Conditions },
  { now, previous, generation }: Times,
): StatusPlan<ChronikCluster> {
  const isSameField = ([name, value]: readonly [string, unknown]): boolean => {
    const before: Readonly<Record<string, unknown>> = { ...previous };
    return isEqual(JSON.parse(JSON.stringify([value ?? null])), JSON.parse(JSON.stringify([before[name] ?? null])));
  };
  const isSameCondition = ([type, value]: readonly [string, ConditionValue | undefined]): boolean => {
    const before = findCondition(previous.conditions ?? [], type);
    if (value === undefined || before === undefined) return value === before;
    const status = typeof value.status === "boolean" ? (value.status ? "True" : "False") : value.status;
    return (
      before.status === status &&
      before.reason === value.reason &&
      before.message === (value.message ?? "") &&
      before.observedGeneration === generation
    );
  };
  const isSame = Object.entries(fields).every(isSameField) && Object.entries(conditions).every(isSameCondition);
  const lastUpdated = isSame ? previous.lastUpdated : formatTime(now);
  return { fields: { ...fields, ...(lastUpdated !== undefined && { lastUpdated }) }, conditions };
}

/** A failed reconcile, for the status. */
export interface FailureInput extends Times {
  readonly failure: Pick<LastError, "class" | "reason" | "message" | "step" | "object">;
  readonly reason: ErrorReason;
  readonly correlationId: string;
  readonly isDeleted: boolean;
  /** Counts of members; empty if the spec is not valid. */
  readonly counts: Fields;
}

/** Derives the status of a failed reconcile. Only a changed error is content: its count and times are not. */
export function deriveFailure(input: FailureInput): StatusPlan<ChronikCluster> {
  const { failure, reason, previous, now, generation, correlationId, isDeleted } = input;
  const { phase } = decidePhase({
    isDeleted,
    errorClass: failure.class,
    isPaused: false,
    arePrerequisitesMissing: false,
    hasWorkloads: true,
    components: {},
    isRestarting: false,
    isResizing: false,
    previous: { phase: previous.phase, initialized: previous.initialized ?? false },
  });
  const before = previous.lastError;
  const isSame =
    before?.reason === failure.reason && before.message === failure.message && before.step === failure.step;
  const time = formatTime(now);
  const lastError: LastError = isSame
    ? { ...before }
    : { ...failure, count: 1, firstSeen: time, lastSeen: time, correlationId };
  const isInvalid = failure.reason === "ValidationFailed";
  const { message } = failure;
  const hasReady = findCondition(previous.conditions ?? [], "Ready") !== undefined;
  const isNotCreated = previous.initialized !== true && (failure.class === "Permanent" || !hasReady);
  return withLastUpdated(
    {
      fields: {
        // The list of clusters shows these columns.
        ...(previous.summary === undefined && input.counts),
        phase,
        lastError,
        ...(isInvalid && { observedGeneration: generation }),
      },
      conditions: {
        ReconcileSucceeded: { status: false, reason, message },
        ...(isInvalid && { SpecValid: { status: false, reason: "ValidationFailed", message } }),
        ...((isInvalid || (isNotCreated && !isDeleted)) && { Ready: { status: false, reason, message } }),
      },
    },
    { now, previous, generation },
  );
}
