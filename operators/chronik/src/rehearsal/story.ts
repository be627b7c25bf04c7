// Follows a cluster through a rehearsed change: changes of its objects in, entries of the timeline out. It reads no clock and sends no requests.

import type { DeepReadonly } from "homeostat";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Event, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { ObjectChange, ObjectWatcher, Outlook, SummaryLine, TimelineEntry } from "@homeostat/operator";
import { ChronikCluster, type ClusterStatus } from "../api/chronik-cluster.ts";
import { type Component, components, kind } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import type { ConditionType } from "../api/status.ts";
import { describeWaits, GateWaits } from "./gate-waits.ts";
import { type MemberPod, Members } from "./members.ts";
import { formatMs } from "./format-ms.ts";

type Status = DeepReadonly<ClusterStatus>;

/** Conditions that are reported when they have this status, because a user has to know about them. */
const notable: Readonly<Partial<Record<ConditionType, "True" | "False">>> = {
  SpecValid: "False",
  PrerequisitesMet: "False",
  ReconcileSucceeded: "False",
  QuorumHealthy: "False",
  Degraded: "True",
  VolumesResized: "False",
  ScaleDownBlocked: "True",
  CanaryFailed: "True",
  CertificateValid: "False",
  ReconciliationPaused: "True",
  DeletionBlocked: "True",
};

/** A member that restarts is not ready; the entries about pods say so already. */
const expectedReasons: ReadonlySet<string> = new Set(["PodsNotReady", "NotStarted"]);

/** Events that no field of the status shows. */
const notableEvents: ReadonlySet<string> = new Set([
  "MembersChanged",
  "StatefulSetRecreated",
  "QuorumRestartRisk",
  "ComponentCheckSkipped",
  "DiskRebuild",
  "DiskRebuildRefused",
  "VolumeClaimRetired",
  "VolumeClaimDeleted",
  "ReusingVolumes",
]);

/** Gates that a user has to open. */
const manualGates: ReadonlySet<string> = new Set(["Manual"]);

/** Gates that open at a time of day, which their message contains. */
const timedGates: ReadonlySet<string> = new Set(["Window", "Canary"]);

/** Time without progress after which a change with a known blocker counts as blocked. */
const blockedAfterMs = 90_000;

/** Time without progress, beyond the time limits of the spec, after which any other change counts as blocked. */
const stuckAfterMs = 300_000;

/** Options of {@link ChronikStory}. */
export interface ChronikStoryOptions {
  readonly name: string;
  readonly onEntry: (entry: TimelineEntry) => void;
}

/** Follows one cluster. */
export class ChronikStory {
  readonly #name: string;
  readonly #onEntry: (entry: TimelineEntry) => void;
  readonly #members = new Members();
  #waits = new GateWaits();
  readonly #restartedAt = new Map<string, number>();
  readonly #restarts: { readonly pod: string; readonly component: Component; readonly isLeader: boolean }[] = [];
  readonly #pending = new Map<string, string>();
  readonly #warnings = new Set<string>();
  readonly #ignored = new Set<ConditionType>();
  #cluster: DeepReadonly<ChronikCluster> | undefined;
  #leader: string | undefined;
  /** Reasons of the rollout that were reported last. */
  #why = "";
  #searchStops = 0;
  /** Members that are being removed, by pod. */
  readonly #leaving = new Map<string, { readonly component: Component; readonly sinceMs: number }>();
  #settledSinceMs: number | undefined;
  #progressMs = 0;
  #hasBegun = false;

  constructor({ name, onEntry }: ChronikStoryOptions) {
    this.#name = name;
    this.#onEntry = onEntry;
  }

  /** Watches the kinds that the story is about. */
  follow(watcher: ObjectWatcher): void {
    watcher.watch(ChronikCluster, (change) => this.onCluster(change));
    watcher.watch(StatefulSet, (change) => this.onWorkload(change));
    watcher.watch(Deployment, (change) => this.onWorkload(change));
    watcher.watch(Pod, (change) => this.onPod(change));
    watcher.watch(PersistentVolumeClaim, (change) => this.onClaim(change));
    watcher.watch(Event, (change) => this.onEvent(change));
  }

  /** Begins the rehearsed change. Earlier changes are not part of the timeline. */
  begin(): void {
    this.#hasBegun = true;
    this.#members.begin();
    this.#waits = new GateWaits();
    this.#restartedAt.clear();
    this.#why = "";
    this.#searchStops = 0;
    this.#progressMs = 0;
    // A change that changes nothing is settled from the beginning.
    this.#settledSinceMs = this.#settledSinceMs === undefined ? undefined : 0;
  }

  /** Records a warning of the API server, so that the same one in the status is not reported again. */
  warned(text: string): void {
    this.#warnings.add(text);
  }

  /** Leaves a condition out of the timeline, because only made-up input causes it. */
  ignore(condition: ConditionType): void {
    this.#ignored.add(condition);
  }

  /** Returns the present state in one phrase: `3 controllers, 2 ingest nodes; leader events-controller-1`. */
  describe(): string {
    const { ready } = this.#members;
    const counts = components.flatMap((component) => {
      const count = ready.get(component) ?? 0;
      return count === 0 ? [] : [`${count} ${nounOf(component, count)}`];
    });
    const leader = this.#leader === undefined ? "" : `; leader ${this.#leader}`;
    return `${counts.join(", ") || "no ready pods"}${leader}`;
  }

  onCluster({ atMs, object, type }: ObjectChange<DeepReadonly<ChronikCluster>>): void {
    if (object.metadata.name !== this.#name) return;
    const before = this.#cluster?.status;
    this.#cluster = object;
    if (type === "deleted") return;
    const { status } = object;
    if (status.phase !== before?.phase) {
      const from = before?.phase === undefined ? "" : `${before.phase} -> `;
      this.#add(atMs, "phase", `${from}${status.phase ?? "Pending"}`, { phase: status.phase ?? "Pending" });
    }
    this.#reportWarnings(atMs, status);
    this.#reportConditions(atMs, status, before);
    this.#reportError(atMs, status, before);
    const why = (status.rollout?.reasons ?? []).join(", ");
    if (status.rollout?.startedAt !== undefined && why !== "" && why !== this.#why) {
      this.#why = why;
      this.#add(atMs, "rollout", `pods are outdated: ${why}`, { reasons: why });
    }
    this.#observeGates(atMs, status);
    this.#reportScaleDown(atMs, status);
    this.#reportLeader(atMs, status);
    const color = status.searchColor?.active;
    const former = before?.searchColor?.active;
    if (color !== undefined && former !== undefined && color !== former)
      this.#add(atMs, "search", `clients use the ${color} Deployment instead of the ${former} one`);
    if (!isSettled(object)) this.#settledSinceMs = undefined;
    else this.#settledSinceMs ??= atMs;
  }

  onWorkload({ atMs, object, before, type }: ObjectChange<DeepReadonly<StatefulSet | Deployment>>): void {
    const component = this.#componentOf(object);
    const replicas = object.spec?.replicas;
    // A StatefulSet that is recreated to grow its volumes is absent for a moment; its members are still desired.
    if (component === undefined || replicas === undefined || type === "deleted") return;
    const former = before?.spec?.replicas ?? (component === "search" ? undefined : this.#members.replicas(component));
    if (component !== "search") this.#members.setReplicas(component, replicas);
    if (former !== undefined && former !== replicas)
      this.#add(atMs, "scale", `${object.metadata.name ?? ""}: ${former} -> ${replicas}`, {
        component,
        from: former,
        to: replicas,
      });
  }

  onPod({ atMs, object, type }: ObjectChange<DeepReadonly<Pod>>): void {
    const component = this.#componentOf(object);
    const pod = component === undefined ? undefined : podOf(object, component);
    if (pod === undefined) return;
    const known = this.#members.pod(pod.name);
    const former = known?.uid === pod.uid ? known : undefined;
    if (pod.isTerminating && former?.isTerminating === false) this.#onStop(atMs, former);
    if (type === "deleted") {
      if (former?.isTerminating === false && !pod.isTerminating) this.#onStop(atMs, former);
      this.#members.remove(pod);
      this.#pending.delete(pod.name);
      this.#progressMs = Math.max(this.#progressMs, atMs);
      return;
    }
    this.#members.set(pod);
    if (pod.isReady && former?.isReady !== true) this.#onReady(atMs, pod);
    else if (!pod.isReady && former?.isReady === true && !pod.isTerminating)
      this.#add(atMs, "unready", `${pod.name} is not ready any more`, { pod: pod.name });
    if (pod.restarts > (former?.restarts ?? 0))
      this.#add(atMs, "crash", `${pod.name}: ${describeCrash(object)}`, { pod: pod.name, restarts: pod.restarts });
    this.#reportPending(atMs, object, pod);
  }

  onClaim({ atMs, object, before, type }: ObjectChange<DeepReadonly<PersistentVolumeClaim>>): void {
    const { name = "", labels: own = {} } = object.metadata;
    if (own[labels.cluster] !== this.#name) return;
    if (type === "added") return this.#add(atMs, "volume", `${name} created, ${requestOf(object)}`);
    if (type === "deleted") return this.#add(atMs, "volume", `${name} deleted`);
    if (before === undefined) return;
    if (requestOf(before) !== requestOf(object))
      this.#add(atMs, "volume", `${name} grows: ${requestOf(before)} -> ${requestOf(object)}`);
    const size = object.status?.capacity?.["storage"];
    const former = before.status?.capacity?.["storage"];
    if (former !== undefined && size !== undefined && former !== size) this.#add(atMs, "volume", `${name} has ${size}`);
  }

  onEvent({ atMs, object, type }: ObjectChange<DeepReadonly<Event>>): void {
    const { involvedObject, reason = "", message = "" } = object;
    if (type !== "added" || involvedObject.kind !== kind || involvedObject.name !== this.#name) return;
    if (notableEvents.has(reason)) this.#add(atMs, "event", `${reason}: ${message}`, { reason });
  }

  /** Returns how the change stands. `now` and `deadline` are times of day, for gates that open at one. */
  outlook(atMs: number, { now, deadline }: { readonly now: number; readonly deadline: number }): Outlook {
    if (this.#cluster === undefined) return { type: "busy" };
    if (this.#settledSinceMs !== undefined) return { type: "settled", sinceMs: this.#settledSinceMs };
    const { status, spec } = this.#cluster;
    const quietMs = atMs - this.#progressMs;
    const isFailed = status.phase === "Failed";
    const { closed } = this.#waits;
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
    return { type: isFailed ? "failed" : "blocked", reasons: this.reasons() };
  }

  /** Returns why the change is not finished. */
  reasons(): readonly string[] {
    if (this.#cluster === undefined) return ["the operator has not reported anything"];
    const { status } = this.#cluster;
    const conditions = (status.conditions ?? [])
      .filter(({ type, status: is, reason }) => notable[type] === is && !expectedReasons.has(reason))
      .filter(({ type }) => !this.#ignored.has(type))
      .map(({ type, message }) => `${type}: ${message}`);
    const gates = this.#waits.closed.map(
      ({ component, name, message }) => `gate ${name} of ${component} is closed: ${message}`,
    );
    const pending = [...this.#pending].map(([pod, message]) => `${pod} is not scheduled: ${message}`);
    const found = [...new Set([...conditions, ...gates, ...pending])];
    if (found.length > 0) return found;
    const plan = (status.plan ?? []).map(({ step, target = "", waitsFor = "" }) => `${step} ${target}: ${waitsFor}`);
    return plan.length > 0 ? plan : [`the phase is ${status.phase ?? "Pending"}`];
  }

  /** Returns the facts about the whole change. */
  summary(atMs: number): readonly SummaryLine[] {
    const { leastReady, readyBefore, mostDown } = this.#members.availability;
    const order = this.#restarts.map(({ pod, isLeader }) => (isLeader ? `${pod} (leader)` : pod)).join(", ");
    const restarts = this.#restarts.length;
    return [
      { name: "restarts", text: order === "" ? "none" : `${restarts}: ${order}`, value: restarts },
      ...(this.#searchStops === 0
        ? []
        : [{ name: "search pods stopped", text: String(this.#searchStops), value: this.#searchStops }]),
      ...[...this.#waits.totals(atMs)].map(([component, waits]) => ({
        name: `${nounOf(component, 2)} waited for`,
        text: describeWaits(waits),
      })),
      ...[...readyBefore].map(([component, count]) => {
        const least = leastReady.get(component) ?? 0;
        return { name: `fewest ready ${nounOf(component, 2)}`, text: `${least} of ${count}`, value: least };
      }),
      ...(readyBefore.size === 0
        ? []
        : [{ name: "most members down at once", text: String(mostDown), value: mostDown }]),
    ];
  }

  #onStop(atMs: number, pod: MemberPod): void {
    const { name, component, ordinal, isReady } = pod;
    if (ordinal === undefined) {
      this.#searchStops += 1;
      return this.#add(atMs, "stop", `${name} (search) stops`, { pod: name });
    }
    if (ordinal >= (this.#members.replicas(component) ?? 0))
      return this.#add(atMs, "remove", `${name} (${component} ${ordinal}) is removed`, { pod: name });
    const isLeader = name === this.#leader;
    const waits = this.#waits.takeForRestart(component, atMs);
    this.#restartedAt.set(name, atMs);
    if (this.#hasBegun) this.#restarts.push({ pod: name, component, isLeader });
    const role = component === "controller" ? (isLeader ? ", leader" : ", follower") : "";
    const facts = [
      `${component} ${ordinal}${role}`,
      ...(isReady ? [] : ["not ready"]),
      ...(waits.size === 0 ? [] : [`waited for ${describeWaits(waits)}`]),
    ];
    this.#add(atMs, "restart", `${this.#restarts.length}. ${name} (${facts.join("; ")})`, {
      pod: name,
      component,
      ordinal,
      isLeader,
      ...Object.fromEntries([...waits].map(([gate, ms]) => [`waited${gate}Ms`, ms])),
    });
  }

  #onReady(atMs: number, { name, ordinal }: MemberPod): void {
    const since = this.#restartedAt.get(name);
    this.#restartedAt.delete(name);
    const what = ordinal === undefined ? `${name} (search)` : name;
    const text =
      since === undefined ? `${what} is ready` : `${what} is ready, ${formatMs(atMs - since)} after its restart`;
    this.#add(atMs, "ready", text, { pod: name, ...(since !== undefined && { afterMs: atMs - since }) });
  }

  #reportPending(atMs: number, { status }: DeepReadonly<Pod>, { name }: MemberPod): void {
    const found = status?.conditions?.find((one) => one.type === "PodScheduled" && one.status === "False");
    if (found?.message === undefined) return void this.#pending.delete(name);
    if (this.#pending.get(name) === found.message) return;
    this.#pending.set(name, found.message);
    // The claims of every new member are unbound for a moment.
    if (!found.message.includes("unbound")) this.#add(atMs, "pending", `${name}: ${found.message}`, { pod: name });
  }

  #reportWarnings(atMs: number, status: Status): void {
    for (const { reason, message } of status.warnings ?? []) {
      if ([...this.#warnings].some((known) => known.includes(message))) continue;
      this.#warnings.add(message);
      this.#add(atMs, "warning", `${reason}: ${message}`, { reason });
    }
  }

  #reportConditions(atMs: number, status: Status, before: Status | undefined): void {
    for (const { type, status: is, reason, message } of status.conditions ?? []) {
      const former = before?.conditions?.find((one) => one.type === type);
      if (this.#ignored.has(type)) continue;
      const isNotable = notable[type] === is && !expectedReasons.has(reason);
      const wasNotable = former !== undefined && notable[type] === former.status && !expectedReasons.has(former.reason);
      if (isNotable && (!wasNotable || former.reason !== reason))
        this.#add(atMs, "condition", `${type} is ${is}: ${reason}: ${message}`, { type, reason });
      else if (wasNotable && !isNotable) this.#add(atMs, "condition", `${type} is ${is}: ${reason}`, { type, reason });
    }
  }

  #reportError(atMs: number, { lastError }: Status, before: Status | undefined): void {
    if (lastError === undefined || lastError.message === before?.lastError?.message) return;
    this.#add(atMs, "error", `${lastError.class} ${lastError.reason}: ${lastError.message}`, {
      class: lastError.class,
      reason: lastError.reason,
    });
  }

  #observeGates(atMs: number, { rollout }: Status): void {
    const seen = new Set<Component>();
    for (const { component, blockedBy, message = "" } of rollout?.components ?? []) {
      seen.add(component);
      const gate = blockedBy === undefined || blockedBy === "" ? undefined : { name: blockedBy, message };
      this.#waits.observe(component, gate, atMs);
    }
    for (const component of components) if (!seen.has(component)) this.#waits.observe(component, undefined, atMs);
  }

  #reportScaleDown(atMs: number, { scaleDown = [] }: Status): void {
    for (const [pod, { component, sinceMs }] of this.#leaving) {
      if (scaleDown.some((one) => one.pod === pod)) continue;
      this.#leaving.delete(pod);
      const ordinal = Number(/-(\d+)$/.exec(pod)?.[1] ?? 0);
      const hasLeft = ordinal >= (this.#members.replicas(component) ?? 0);
      const what = hasLeft ? "has left" : "stays for now";
      this.#add(atMs, "drain", `${pod} ${what}, after ${formatMs(atMs - sinceMs)}`, { pod });
    }
    for (const { component, pod } of scaleDown) {
      if (this.#leaving.has(pod)) continue;
      this.#leaving.set(pod, { component, sinceMs: atMs });
      this.#add(atMs, "drain", `${pod} ${component === "controller" ? "is removed as a voter" : "drains"}`, { pod });
    }
  }

  #reportLeader(atMs: number, { quorum }: Status): void {
    const leader = quorum?.leader;
    if (leader === undefined || leader === this.#leader) return;
    const from = this.#leader === undefined ? "" : `${this.#leader} -> `;
    this.#leader = leader;
    this.#add(atMs, "leader", `${from}${leader}`, { leader });
  }

  /** Returns the component of an object of the cluster; undefined for objects of other clusters. */
  #componentOf({ metadata }: { readonly metadata: { readonly labels?: unknown } }): Component | undefined {
    const found = metadata.labels;
    if (typeof found !== "object" || found === null) return undefined;
    const own = new Map<string, unknown>(Object.entries(found));
    if (own.get(labels.cluster) !== this.#name) return undefined;
    return components.find((component) => component === own.get(labels.clusterComponent));
  }

  #add(atMs: number, topic: string, text: string, data?: TimelineEntry["data"]): void {
    this.#progressMs = Math.max(this.#progressMs, atMs);
    this.#onEntry({ atMs, topic, text, ...(data !== undefined && { data }) });
  }
}

/** Reports whether a cluster runs with its latest spec, and nothing is left to do. */
function isSettled({ metadata, status }: DeepReadonly<ChronikCluster>): boolean {
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

function isTrue({ conditions }: Status, type: ConditionType): boolean {
  return conditions?.some((one) => one.type === type && one.status === "True") === true;
}

function podOf({ metadata, status }: DeepReadonly<Pod>, component: Component): MemberPod {
  const { name = "", uid = "", deletionTimestamp } = metadata;
  const isTerminating = deletionTimestamp !== undefined;
  const ordinal = component === "search" ? undefined : Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
  const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
  const restarts = (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
  return { name, uid, component, ordinal, isReady: isReady && !isTerminating, isTerminating, restarts };
}

function describeCrash({ status }: DeepReadonly<Pod>): string {
  const container = status?.containerStatuses?.[0];
  const last = container?.lastState?.terminated;
  const reason = last === undefined ? "" : ` (${last.reason ?? "Error"}, exit code ${last.exitCode})`;
  return `its container restarted${reason}, ${container?.restartCount ?? 0} times in total`;
}

function requestOf({ spec }: DeepReadonly<PersistentVolumeClaim>): string {
  return String(spec?.resources?.requests?.["storage"] ?? "no size");
}

function nounOf(component: Component, count: number): string {
  const noun = component === "controller" ? "controller" : `${component} node`;
  return count === 1 ? noun : `${noun}s`;
}
