import type { Pod } from "@homeostat/kubernetes/core/v1";

/** The fields of a pod from which the progress of a rolling update is derived. */
export type ObservedPod = Pick<Pod, "metadata" | "status">;

/** Progress of a rolling update. */
export interface RollingUpdateProgress {
  /** Number of pods when the update began. */
  readonly pods: number;
  /** Number of pods that were replaced and are ready again. */
  readonly restarted: number;
  /** Largest number of pods that were unavailable at the same time. */
  readonly unavailableMax: number;
}

/** Follows the pods of a cluster, and counts those that a rolling update replaced. */
export class RollingUpdate {
  /** UIDs of the existing pods by name. */
  readonly #uids = new Map<string, string>();
  readonly #readyNames = new Set<string>();
  /** UIDs of the pods by name when the update began. */
  #formerUids: ReadonlyMap<string, string> | undefined;
  #unavailableMax = 0;

  /** Records the state of a pod. */
  observe({ metadata, status }: ObservedPod, isDeleted: boolean): void {
    const { name = "", uid = "", deletionTimestamp } = metadata;
    // A list after a failed watch may return the new pod before the deletion of the former one is reported.
    if (isDeleted && this.#uids.get(name) !== uid) return;
    if (isDeleted) this.#uids.delete(name);
    else this.#uids.set(name, uid);
    const hasReadyCondition = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True");
    if (!isDeleted && deletionTimestamp === undefined && hasReadyCondition === true) this.#readyNames.add(name);
    else this.#readyNames.delete(name);
    const unavailable = this.#formerNames.filter((each) => !this.#readyNames.has(each)).length;
    this.#unavailableMax = Math.max(this.#unavailableMax, unavailable);
  }

  /** Begins the update: the current pods are those to replace. */
  begin(): void {
    this.#formerUids = new Map(this.#uids);
    this.#unavailableMax = 0;
  }

  get progress(): RollingUpdateProgress {
    const names = this.#formerNames;
    const restarted = names.filter(
      (name) => this.#readyNames.has(name) && this.#uids.get(name) !== this.#formerUids?.get(name),
    ).length;
    return { pods: names.length, restarted, unavailableMax: this.#unavailableMax };
  }

  get #formerNames(): readonly string[] {
    return [...(this.#formerUids?.keys() ?? [])];
  }
}
