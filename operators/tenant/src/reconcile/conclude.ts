import type { Phase } from "../api/tenant.ts";
import { deriveStatus, type Observed, type StatusPlan } from "../status/derive.ts";
import { events } from "./events.ts";
import type { Pass } from "./pass.ts";

/** Says where the tenant stands after a pass, and tells people of what is new. The status is written at the end of the run. */
export async function conclude(pass: Pass, observed: Observed): Promise<StatusPlan> {
  const plan = deriveStatus(observed, pass.occasion);
  pass.say(plan);
  await pass.context.saveStatus();
  const phase = plan.fields.phase ?? "Pending";
  tellOfPhase(pass, phase, plan.fields.message ?? "");
  pass.phaseIs(phase);
  return plan;
}

function tellOfPhase(pass: Pass, phase: Phase, message: string): void {
  const { phase: before } = pass.before;
  if (pass.condition("Paused")?.status === "True") pass.event(events.unpaused);
  if (before === "Hibernated" && phase !== "Hibernated" && !isAsleep(pass)) pass.event(events.resumed);
  if (phase === before) return;
  if (phase === "Running") pass.event(events.running);
  if (phase === "Hibernated") pass.event(events.hibernated);
  if (phase === "Degraded") pass.once(events.degraded(message));
  if (phase === "Failed" && pass.condition("NamespaceReady")?.reason !== "NamespaceConflict") {
    pass.once(events.failed(message));
  }
}

function isAsleep({ tenant }: Pass): boolean {
  return tenant.spec.hibernation?.enabled === true;
}
