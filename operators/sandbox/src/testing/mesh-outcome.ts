// Destinations of equivalence cases in the form in which renderers are compared: `<service>:<port>`.

import type { RouteTable } from "@homeostat/routing";
import type { EquivalenceCase } from "@homeostat/routing/equivalence";

/** Returns the destination that a case expects: the Service for the baseline, or the Service of the workload. */
export function expectedDestination({ table, port, expected }: EquivalenceCase): string {
  const { baselineTarget } = table.ports.find((each) => each.port === port) ?? { baselineTarget: "" };
  const own = `${table.service}:${port}`;
  if (expected.type === "baseline") return own;
  if (expected.type === "entry" && expected.targets.includes(baselineTarget)) return own;
  const entry = table.entries.find((each) => each.sandbox === expected.sandbox && each.workload === expected.workload);
  const target = entry?.ports.find((each) => each.port === port);
  const destination = `${target?.targetService ?? ""}:${target?.targetPort ?? 0}`;
  return expected.type === "unavailable" ? `${expected.action} ${destination}` : destination;
}

/** Returns a destination that a mesh chose, with the word Fail if its Service has no ready endpoint: the mesh responds with 503. */
export function reachedDestination(table: RouteTable, service: string, port: number): string {
  const targets = table.entries.flatMap(({ ports }) => ports).filter((each) => each.targetService === service);
  const isEmpty = targets.some(({ addresses }) => addresses?.length === 0);
  return `${isEmpty ? "Fail " : ""}${service}:${port}`;
}
