// Where one component stands: the table of section 12.

import type { Reason } from "../api/conditions.ts";
import type { ComponentPhase } from "../api/tenant.ts";

/** What a component is called in messages. */
export type Title = "Redis" | "Server";

/** Why a component is not running, in one word. */
export type ComponentReason = Reason<"RedisReady"> | Reason<"ServerReady">;

/** What keeps a component from running. */
export interface Obstacle {
  readonly reason: ComponentReason;
  readonly message: string;
}

/** What can be seen of a component. */
export interface ComponentView {
  readonly title: Title;
  /** Whether its workload is there. */
  readonly exists: boolean;
  /** How many pods there should be. */
  readonly wanted: number;
  readonly ready: number;
  readonly updated: number;
  /** How many pods there are, whatever they do. */
  readonly pods: number;
  /** Whether every pod is as it should be, and no other is left. */
  readonly isComplete: boolean;
  /** Where it stood before. */
  readonly before: ComponentPhase | undefined;
  /** What it cannot get over by itself. */
  readonly blocked: Obstacle | undefined;
  /** What it waits for, if that is known. */
  readonly waitsFor: Obstacle | undefined;
  /** Why its objects could not be made as they should be. */
  readonly refused: Obstacle | undefined;
}

/** Where a component stands. */
export interface ComponentState {
  readonly phase: ComponentPhase;
  readonly message: string;
  readonly reason: ComponentReason;
  readonly readyReplicas: number;
  readonly totalReplicas: number;
}

/** Where a component stands, by what can be seen of it. The first row that fits counts. */
export function componentState(view: ComponentView): ComponentState {
  const { wanted, ready } = view;
  return { ...phaseOf(view), readyReplicas: ready, totalReplicas: wanted };
}

function phaseOf(view: ComponentView): Pick<ComponentState, "phase" | "message" | "reason"> {
  const { title, wanted, ready, updated, pods, isComplete, before, blocked, waitsFor, refused } = view;
  const provisioning = `${title} is being provisioned`;
  if (refused !== undefined) return { phase: "Failed", ...refused };
  if (!view.exists) {
    return { phase: "Pending", reason: "Provisioning", message: provisioning, ...waitsFor };
  }
  if (wanted === 0) {
    if (pods === 0) return { phase: "Hibernated", reason: "Hibernated", message: `${title} is hibernated` };
    return { phase: "Provisioning", reason: "Provisioning", message: `${title} is stopping` };
  }
  if (ready >= wanted) {
    const more = isComplete ? "" : `, update in progress (${updated}/${wanted})`;
    return { phase: "Running", reason: "Running", message: `${title} is running${more}` };
  }
  if (blocked !== undefined) return { phase: "Failed", ...blocked };
  const cause = waitsFor === undefined ? "" : `: ${waitsFor.message}`;
  if (ready === 0 && before !== "Running" && before !== "Degraded") {
    return { phase: "Provisioning", reason: waitsFor?.reason ?? "Provisioning", message: `${provisioning}${cause}` };
  }
  const message = `${title} is degraded: ${ready}/${wanted} replicas ready${cause}`;
  return { phase: "Degraded", reason: "Degraded", message };
}
