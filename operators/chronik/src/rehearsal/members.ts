import type { Component } from "../api/identity.ts";

/** A pod of a cluster. */
export interface MemberPod {
  readonly name: string;
  readonly uid: string;
  readonly component: Component;
  /** Ordinal in its StatefulSet; undefined for a search pod. */
  readonly ordinal: number | undefined;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly restarts: number;
}

/** Counts of ready members during a change. */
export interface Availability {
  /** Fewest ready pods at any time, by component; only components that had a ready pod before. */
  readonly leastReady: ReadonlyMap<Component, number>;
  /** Ready pods when the change began. */
  readonly readyBefore: ReadonlyMap<Component, number>;
  /** Largest number of controllers and ingest nodes that were down at the same time. A member that was never ready before is not down. */
  readonly mostDown: number;
}

/** Counts ready pods and members that are down. */
export class Members {
  readonly #pods = new Map<string, MemberPod>();
  readonly #replicas = new Map<Component, number>();
  /** Names of controllers and ingest nodes that have been ready. */
  readonly #established = new Map<string, { readonly component: Component; readonly ordinal: number }>();
  #readyBefore = new Map<Component, number>();
  #leastReady = new Map<Component, number>();
  #mostDown = 0;

  /** Begins to count. */
  begin(): void {
    this.#readyBefore = this.#readyCounts();
    this.#leastReady = new Map(this.#readyBefore);
    this.#mostDown = 0;
  }

  pod(name: string): MemberPod | undefined {
    return this.#pods.get(name);
  }

  replicas(component: Component): number | undefined {
    return this.#replicas.get(component);
  }

  setReplicas(component: Component, replicas: number): void {
    this.#replicas.set(component, replicas);
    for (const [name, member] of this.#established)
      if (member.component === component && member.ordinal >= replicas) this.#established.delete(name);
    this.#count();
  }

  set(pod: MemberPod): void {
    this.#pods.set(pod.name, pod);
    const { name, component, ordinal, isReady } = pod;
    if (isReady && ordinal !== undefined) this.#established.set(name, { component, ordinal });
    this.#count();
  }

  /** Removes a pod, unless another one of the same name exists. */
  remove({ name, uid }: Pick<MemberPod, "name" | "uid">): void {
    if (this.#pods.get(name)?.uid !== uid) return;
    this.#pods.delete(name);
    this.#count();
  }

  get ready(): ReadonlyMap<Component, number> {
    return this.#readyCounts();
  }

  get availability(): Availability {
    return { leastReady: this.#leastReady, readyBefore: this.#readyBefore, mostDown: this.#mostDown };
  }

  #count(): void {
    const ready = this.#readyCounts();
    for (const [component, least] of this.#leastReady)
      this.#leastReady.set(component, Math.min(least, ready.get(component) ?? 0));
    const down = [...this.#established].filter(([name, { component, ordinal }]) => {
      const isDesired = ordinal < (this.#replicas.get(component) ?? 0);
      return isDesired && this.#pods.get(name)?.isReady !== true;
    });
    this.#mostDown = Math.max(this.#mostDown, down.length);
  }

  #readyCounts(): Map<Component, number> {
    const counts = new Map<Component, number>();
    for (const { component, isReady } of this.#pods.values())
      if (isReady) counts.set(component, (counts.get(component) ?? 0) + 1);
    return counts;
  }
}
