import type { DeepReadonly } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { hostPorts } from "./node-usage.ts";
import { requestsOf } from "./requests.ts";

/**
 * Pods that fit on no node, in groups of pods with equal requirements.
 *
 * If one pod of a group does not fit, none of them does. When a node gets room, only the first pod of each group is
 * therefore tried; when it is bound, that is a change of the node's pods, and the next one is tried. Trying all pods
 * on every change would take time proportional to their number each time a pod ends.
 */
export class UnschedulablePods {
  /** Keys of pods by their requirements, in the order of attempts. */
  readonly #groups = new Map<string, Set<string>>();
  readonly #groupOf = new Map<string, string>();

  add(key: string, pod: DeepReadonly<Pod>): void {
    const group = requirementsOf(pod);
    if (this.#groupOf.get(key) === group) return;
    this.delete(key);
    this.#groupOf.set(key, group);
    const keys = this.#groups.get(group);
    if (keys === undefined) this.#groups.set(group, new Set([key]));
    else keys.add(key);
  }

  delete(key: string): void {
    const group = this.#groupOf.get(key);
    if (group === undefined) return;
    this.#groupOf.delete(key);
    const keys = this.#groups.get(group);
    keys?.delete(key);
    if (keys?.size === 0) this.#groups.delete(group);
  }

  /** Returns the first pod of each group. Pods that no longer wait are removed. */
  firsts(isWaiting: (key: string) => boolean): readonly string[] {
    const firsts: string[] = [];
    for (const keys of this.#groups.values()) {
      for (const key of keys) {
        if (isWaiting(key)) {
          firsts.push(key);
          break;
        }
        this.delete(key);
      }
    }
    return firsts;
  }
}

/** Returns a text that is equal for pods that fit on the same nodes. */
function requirementsOf(pod: DeepReadonly<Pod>): string {
  const { nodeSelector, affinity, tolerations } = pod.spec;
  const requests = [...requestsOf(pod)].map(([name, amount]) => [name, String(amount)]);
  return JSON.stringify([requests, hostPorts(pod), nodeSelector, affinity?.nodeAffinity, tolerations]);
}
