import type { Rollout } from "@homeostat/runtime";
import type { Reason } from "../api/status.ts";
import type { ComponentPhase } from "../api/tenant.ts";

export type ComponentReason = Reason<"RedisReady" | "ServerReady">;

export interface ComponentProblem {
  readonly reason: ComponentReason;
  readonly message: string;
}

export interface ObservedComponent extends Rollout {
  readonly title: "Redis" | "Server";
  readonly desired: number;
  /** Existing pods, whatever their state. */
  readonly pods: number;
  readonly previousPhase: ComponentPhase | undefined;
  /** A problem that the component cannot recover from on its own. */
  readonly blocked: ComponentProblem | undefined;
  readonly waitsFor: ComponentProblem | undefined;
  /** Reason why its objects could not be applied. */
  readonly refused: ComponentProblem | undefined;
}

/** The phase of a component with its reason. */
export interface ComponentState {
  readonly phase: ComponentPhase;
  readonly message: string;
  readonly reason: ComponentReason;
  readonly readyReplicas: number;
  readonly totalReplicas: number;
}

export function componentState(component: ObservedComponent): ComponentState {
  return { ...phaseOf(component), readyReplicas: component.ready, totalReplicas: component.desired };
}

/** Returns the phase of a component. The first rule that applies decides. */
function phaseOf(component: ObservedComponent): Pick<ComponentState, "phase" | "message" | "reason"> {
  const { title, desired, ready, updated, pods, isComplete, previousPhase, blocked, waitsFor, refused } = component;
  if (refused !== undefined) return { phase: "Failed", ...refused };
  const provisioning = `${title} is being provisioned`;
  if (!component.exists) return { phase: "Pending", reason: "Provisioning", message: provisioning, ...waitsFor };
  if (desired === 0) {
    return pods === 0
      ? { phase: "Hibernated", reason: "Hibernated", message: `${title} is hibernated` }
      : { phase: "Provisioning", reason: "Provisioning", message: `${title} is stopping` };
  }
  if (ready >= desired) {
    const update = isComplete ? "" : `, update in progress (${updated}/${desired})`;
    return { phase: "Running", reason: "Running", message: `${title} is running${update}` };
  }
  if (blocked !== undefined) return { phase: "Failed", ...blocked };
  const cause = waitsFor === undefined ? "" : `: ${waitsFor.message}`;
  if (ready === 0 && previousPhase !== "Running" && previousPhase !== "Degraded") {
    return { phase: "Provisioning", reason: waitsFor?.reason ?? "Provisioning", message: `${provisioning}${cause}` };
  }
  const message = `${title} is degraded: ${ready}/${desired} replicas ready${cause}`;
  return { phase: "Degraded", reason: "Degraded", message };
}
