// Where a tenant stands as a whole: the second table of section 12.

import type { Reason } from "../api/conditions.ts";
import type { Phase } from "../api/tenant.ts";
import type { ComponentState } from "./component.ts";

/** Why a tenant cannot be what it should be, whatever its components do. */
export interface Failure {
  readonly reason: Reason<"Ready">;
  readonly message: string;
}

/** What the phase of a tenant is made from. Being deleted is not among it: that has its own words. */
export type TenantView =
  /** It is invalid, or its namespace is somebody else's. */
  | { readonly is: "failed"; readonly failure: Failure }
  /** There is no namespace to put anything into. */
  | { readonly is: "waiting"; readonly message: string }
  | { readonly is: "there"; readonly redis: ComponentState; readonly server: ComponentState };

/** The phase of a tenant, and a sentence about it. */
export interface PhaseState {
  readonly phase: Phase;
  readonly message: string;
}

/** Where a tenant stands. The first row that fits counts. */
export function tenantPhase(view: TenantView): PhaseState {
  if (view.is === "failed") return { phase: "Failed", message: view.failure.message };
  if (view.is === "waiting") return { phase: "Pending", message: view.message };
  const parts = [
    { name: "Redis", state: view.redis },
    { name: "server", state: view.server },
  ];
  const inPhase = (...phases: readonly string[]): typeof parts =>
    parts.filter(({ state }) => phases.includes(state.phase));
  const failed = inPhase("Failed");
  if (failed.length > 0) return { phase: "Failed", message: told(failed) };
  if (inPhase("Hibernated").length === parts.length) return { phase: "Hibernated", message: "Tenant is hibernated" };
  const waiting = inPhase("Pending", "Provisioning", "Hibernated");
  if (waiting.length > 0) {
    return { phase: "Provisioning", message: `Waiting for ${waiting.map(({ name }) => name).join(", ")}` };
  }
  const degraded = inPhase("Degraded");
  if (degraded.length > 0) return { phase: "Degraded", message: told(degraded) };
  return { phase: "Running", message: "Tenant is running" };
}

function told(parts: readonly { readonly name: string; readonly state: ComponentState }[]): string {
  return parts.map(({ name, state }) => `${name === "server" ? "Server" : name}: ${state.message}`).join("; ");
}
