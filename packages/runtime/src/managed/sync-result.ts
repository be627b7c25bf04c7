// Results of syncs and plans.

import { formatKey, type KubeObject, type Stored } from "@homeostat/core";
import { describe } from "../writes/ownership.ts";
import { pathOf } from "./compare.ts";
import type { ObjectStep } from "./decide.ts";
import { nameIn, type PlannedAction } from "./desired.ts";
import { ManagedObjectsError, type ObjectFailure } from "./errors.ts";
import type { SyncResult } from "./managed-objects.ts";
import type { SettledSet } from "./settled-sets.ts";

/** Returns the result of a sync that compared all objects. */
export function resultOf(
  owner: Stored<KubeObject>,
  { outcomes, pruned, waitingFor }: Pick<SyncResult, "outcomes" | "pruned" | "waitingFor">,
): SyncResult {
  const failures: ObjectFailure[] = [];
  for (const [desired, outcome] of outcomes) {
    if (outcome.result === "failed") failures.push({ object: nameIn(desired), error: outcome.error });
  }
  for (const { type, key, result, error } of pruned) {
    if (result === "failed") failures.push({ object: `${type.kind} ${formatKey(key)}`, error });
  }
  return {
    outcomes,
    settled: [],
    pruned,
    waitingFor,
    failures,
    throwIfFailed() {
      if (failures.length > 0) throw new ManagedObjectsError(describe(owner), failures);
    },
  };
}

/** Returns the result of a sync that found a settled set. */
export function settledResult({ desired }: SettledSet): SyncResult {
  return {
    outcomes: new Map(),
    settled: desired,
    pruned: [],
    waitingFor: undefined,
    failures: [],
    throwIfFailed: () => undefined,
  };
}

/** Returns the numbers of a result as text, for the history: `11 unchanged, 1 updated, 1 deleted, waiting for tier services`. */
export function summaryOf({ outcomes, settled, pruned, waitingFor }: SyncResult): string {
  const counts = new Map<string, number>();
  for (const { result } of [...outcomes.values(), ...pruned]) counts.set(result, (counts.get(result) ?? 0) + 1);
  const parts = [
    ...(settled.length === 0 ? [] : [`${settled.length} unchanged since they were compared last`]),
    ...[...counts].map(([result, count]) => `${count} ${result}`),
    ...(waitingFor === undefined ? [] : [`waiting for tier ${waitingFor}`]),
  ];
  return parts.length === 0 ? "none" : parts.join(", ");
}

/** Returns what would be done with an object, for a plan. */
export function actionOf(object: string, step: ObjectStep): PlannedAction {
  switch (step.do) {
    case "nothing":
    case "reapply":
      return { action: "none", object };
    case "create":
    case "adopt":
      return { action: step.do, object };
    case "update":
    case "replace": {
      const fields = [...new Set(step.found.map(pathOf))];
      return { action: step.do, object, fields, isDrift: step.isDrift };
    }
    case "refuse":
      return { action: "refused", object, error: step.error };
  }
}
