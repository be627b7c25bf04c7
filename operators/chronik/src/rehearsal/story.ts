// Follows a cluster through a rehearsed change, and adds changes of its objects to the timeline. Reads no clock and sends no requests.

import type { DeepReadonly } from "homeostat";
import { formatElapsedMs } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Event, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { ObjectChange, ObjectWatcher, Outlook, SummaryLine, TimelineEntry } from "@homeostat/operator";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { type Component, components, kind } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import type { ConditionType } from "../api/status.ts";
import { describeWaits } from "./gate-waits.ts";
import { type MemberPod, Members } from "./members.ts";
import { notableEvents } from "./notable.ts";
import { type ChangeState, decideOutlook, isSettled, reasonsOf } from "./outlook.ts";
import { describeCrash, podOf } from "./pod-facts.ts";
import { StatusChanges } from "./status-changes.ts";

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
  readonly #restartedAt = new Map<string, number>();
  readonly #restarts: { readonly pod: string; readonly component: Component; readonly isLeader: boolean }[] = [];
  readonly #pending = new Map<string, string>();
  readonly #status: StatusChanges;
  #searchStops = 0;
  #settledSinceMs: number | undefined;
  #progressMs = 0;
  #hasBegun = false;

  constructor({ name, onEntry }: ChronikStoryOptions) {
    this.#name = name;
    this.#onEntry = onEntry;
    this.#status = new StatusChanges(this.#members, (...entry) => this.#add(...entry));
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
    this.#status.begin();
    this.#restartedAt.clear();
    this.#searchStops = 0;
    this.#progressMs = 0;
    // A change without effect is settled from the beginning.
    this.#settledSinceMs = this.#settledSinceMs === undefined ? undefined : 0;
  }

  /** Records a warning of the API server, so that the same one in the status is not reported again. */
  warned(text: string): void {
    this.#status.warned(text);
  }

  /** Leaves a condition out of the timeline, because a placeholder causes it. */
  ignore(condition: ConditionType): void {
    this.#status.ignore(condition);
  }

  /** Returns the current state in one phrase: `3 controllers, 2 ingest nodes; leader events-controller-1`. */
  describe(): string {
    const { ready } = this.#members;
    const counts = components.flatMap((component) => {
      const count = ready.get(component) ?? 0;
      return count === 0 ? [] : [`${count} ${nounOf(component, count)}`];
    });
    const { leader } = this.#status;
    return `${counts.join(", ") || "no ready pods"}${leader === undefined ? "" : `; leader ${leader}`}`;
  }

  onCluster({ atMs, object, type }: ObjectChange<DeepReadonly<ChronikCluster>>): void {
    if (object.metadata.name !== this.#name) return;
    if (type === "deleted") return this.#status.deleted(object);
    this.#status.follow(atMs, object);
    if (!isSettled(object)) this.#settledSinceMs = undefined;
    else this.#settledSinceMs ??= atMs;
  }

  onWorkload({ atMs, object, before, type }: ObjectChange<DeepReadonly<StatefulSet | Deployment>>): void {
    const component = this.#componentOf(object);
    const replicas = object.spec?.replicas;
    // A StatefulSet that is recreated to grow its volumes is temporarily absent; its members are still desired.
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

  /** Returns the state of the change. `now` and `deadline` are times of day, for gates that open at a time of day. */
  outlook(atMs: number, time: { readonly now: number; readonly deadline: number }): Outlook {
    if (this.#settledSinceMs !== undefined) return { type: "settled", sinceMs: this.#settledSinceMs };
    return decideOutlook({ ...this.#state, quietMs: atMs - this.#progressMs }, time);
  }

  /** Returns why the change is not finished. */
  reasons(): readonly string[] {
    return reasonsOf(this.#state);
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
      ...[...this.#status.waits.totals(atMs)].map(([component, waits]) => ({
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

  get #state(): Omit<ChangeState, "quietMs"> {
    const { cluster, waits, ignored } = this.#status;
    return { cluster, closed: waits.closed, pending: this.#pending, ignored };
  }

  #onStop(atMs: number, pod: MemberPod): void {
    const { name, component, ordinal, isReady } = pod;
    if (ordinal === undefined) {
      this.#searchStops += 1;
      return this.#add(atMs, "stop", `${name} (search) stops`, { pod: name });
    }
    if (ordinal >= (this.#members.replicas(component) ?? 0))
      return this.#add(atMs, "remove", `${name} (${component} ${ordinal}) is removed`, { pod: name });
    const isLeader = name === this.#status.leader;
    const waits = this.#status.waits.takeForRestart(component, atMs);
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
      since === undefined ? `${what} is ready` : `${what} is ready, ${formatElapsedMs(atMs - since)} after its restart`;
    this.#add(atMs, "ready", text, { pod: name, ...(since !== undefined && { afterMs: atMs - since }) });
  }

  #reportPending(atMs: number, { status }: DeepReadonly<Pod>, { name }: MemberPod): void {
    const found = status?.conditions?.find((one) => one.type === "PodScheduled" && one.status === "False");
    if (found?.message === undefined) return void this.#pending.delete(name);
    if (this.#pending.get(name) === found.message) return;
    this.#pending.set(name, found.message);
    // The claims of every new member are briefly unbound.
    if (!found.message.includes("unbound")) this.#add(atMs, "pending", `${name}: ${found.message}`, { pod: name });
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

function requestOf({ spec }: DeepReadonly<PersistentVolumeClaim>): string {
  return String(spec?.resources?.requests?.["storage"] ?? "no size");
}

function nounOf(component: Component, count: number): string {
  const noun = component === "controller" ? "controller" : `${component} node`;
  return count === 1 ? noun : `${noun}s`;
}
