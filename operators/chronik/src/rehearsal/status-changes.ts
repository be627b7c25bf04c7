// Follows the status of a cluster, and adds its changes to the timeline.

import type { DeepReadonly } from "homeostat";
import { formatElapsedMs } from "@homeostat/core";
import type { TimelineEntry } from "@homeostat/operator";
import type { ChronikCluster, ClusterStatus } from "../api/chronik-cluster.ts";
import { type Component, components } from "../api/identity.ts";
import type { ConditionType } from "../api/status.ts";
import { GateWaits } from "./gate-waits.ts";
import type { Members } from "./members.ts";
import { isNotable } from "./notable.ts";

type Status = DeepReadonly<ClusterStatus>;

/** Adds an entry to the timeline. */
export type AddEntry = (atMs: number, topic: string, text: string, data?: TimelineEntry["data"]) => void;

/** Follows the status of one cluster. */
export class StatusChanges {
  readonly #add: AddEntry;
  readonly #members: Pick<Members, "replicas">;
  readonly #warnings = new Set<string>();
  readonly #ignored = new Set<ConditionType>();
  /** Members that are being removed, by pod. */
  readonly #leaving = new Map<string, { readonly component: Component; readonly sinceMs: number }>();
  #waits = new GateWaits();
  #cluster: DeepReadonly<ChronikCluster> | undefined;
  #leader: string | undefined;
  /** Reasons of the rollout that were reported last. */
  #why = "";

  constructor(members: Pick<Members, "replicas">, add: AddEntry) {
    this.#members = members;
    this.#add = add;
  }

  /** Begins the rehearsed change: earlier waits and reasons do not count. */
  begin(): void {
    this.#waits = new GateWaits();
    this.#why = "";
  }

  /** The cluster as it was reported last. */
  get cluster(): DeepReadonly<ChronikCluster> | undefined {
    return this.#cluster;
  }

  /** Name of the controller that leads, if it is known. */
  get leader(): string | undefined {
    return this.#leader;
  }

  get waits(): GateWaits {
    return this.#waits;
  }

  get ignored(): ReadonlySet<ConditionType> {
    return this.#ignored;
  }

  /** Records a warning of the API server, so that the same one in the status is not reported again. */
  warned(text: string): void {
    this.#warnings.add(text);
  }

  /** Leaves a condition out of the timeline, because a placeholder causes it. */
  ignore(condition: ConditionType): void {
    this.#ignored.add(condition);
  }

  /** Records a cluster that was deleted. */
  deleted(object: DeepReadonly<ChronikCluster>): void {
    this.#cluster = object;
  }

  /** Reports what has changed since the last status. */
  follow(atMs: number, object: DeepReadonly<ChronikCluster>): void {
    const before = this.#cluster?.status;
    this.#cluster = object;
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
  }

  #reportWarnings(atMs: number, status: Status): void {
    for (const { reason, message } of status.warnings ?? []) {
      if ([...this.#warnings].some((known) => known.includes(message))) continue;
      this.#warnings.add(message);
      this.#add(atMs, "warning", `${reason}: ${message}`, { reason });
    }
  }

  #reportConditions(atMs: number, status: Status, before: Status | undefined): void {
    for (const condition of status.conditions ?? []) {
      const { type, status: is, reason, message } = condition;
      const former = before?.conditions?.find((one) => one.type === type);
      if (this.#ignored.has(type)) continue;
      const isNow = isNotable(condition);
      const wasBefore = former !== undefined && isNotable(former);
      if (isNow && (!wasBefore || former.reason !== reason))
        this.#add(atMs, "condition", `${type} is ${is}: ${reason}: ${message}`, { type, reason });
      else if (wasBefore && !isNow) this.#add(atMs, "condition", `${type} is ${is}: ${reason}`, { type, reason });
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
      this.#add(atMs, "drain", `${pod} ${what}, after ${formatElapsedMs(atMs - sinceMs)}`, { pod });
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
}
