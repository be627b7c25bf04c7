// Records which Services have sidecars in all their ready pods. The mode Auto depends on it.

import type { DeepReadonly } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** Time for which pods without a sidecar must be observed before a Service leaves the mode Sidecar. */
export const sidecarLossMs = 10_000;

/** Ready pods of a Service, as its workloads and its sidecars report them. */
export interface SidecarCounts {
  /** Ready pods of the workloads. */
  readonly ready: number;
  /** Ready pods among them that have a sidecar. */
  readonly withSidecar: number;
}

interface State {
  readonly hasSidecars: boolean;
  /** Time since which fewer pods have a sidecar than are ready. */
  readonly lossSince: number | undefined;
}

/** Facts about the Services of one manager. */
export class SidecarFacts {
  readonly #states = new Map<string, State>();

  /** Returns whether all ready pods of a Service have a sidecar; undefined while that is unknown. */
  hasSidecars(service: string): boolean | undefined {
    return this.#states.get(service)?.hasSidecars;
  }

  /**
   * Records counts of a Service. A workload reports its ready pods slightly before or after their own watch events, so a Service leaves the mode
   * Sidecar only after a delay; each change of the mode causes a rollout of its proxies.
   *
   * Returns whether the fact has changed, and the time after which the counts must be recorded again.
   */
  record(
    service: string,
    { ready, withSidecar }: SidecarCounts,
    now: number,
  ): { readonly isChanged: boolean; readonly againMs: number | undefined } {
    const before = this.#states.get(service);
    const isComplete = withSidecar > 0 && withSidecar >= ready;
    const lossSince = isComplete ? undefined : (before?.lossSince ?? now);
    const isWaiting = before?.hasSidecars === true && lossSince !== undefined && now - lossSince < sidecarLossMs;
    const hasSidecars = isComplete || isWaiting;
    this.#states.set(service, { hasSidecars, lossSince });
    return {
      isChanged: before?.hasSidecars !== hasSidecars,
      againMs: isWaiting ? sidecarLossMs - (now - lossSince) : undefined,
    };
  }

  forget(service: string): void {
    this.#states.delete(service);
  }

  /** Forgets everything, when this process stops leading. */
  reset(): void {
    this.#states.clear();
  }
}

/** Reports whether a pod is ready and not being deleted. */
export function isReadyPod({ metadata, status }: DeepReadonly<Pod>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}
