import { textAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { Field } from "../../../validation/field.ts";
import type { KindStrategy } from "../../strategy.ts";

/** Leases: an update must name the version that it replaces, which makes a Lease usable as a lock; it may also create the Lease. */
export const leaseStrategy: KindStrategy = {
  group: "coordination.k8s.io",
  plural: "leases",
  requiresVersionOnUpdate: true,
  allowsCreateOnUpdate: true,
  allowsAnyFinalizer: true,
  validate: checkLease,
  table: { cells: leaseCells },
};

/** Validates a Lease except for its metadata; see `ValidateLeaseSpec` in Kubernetes. */
function checkLease(object: Field): void {
  const spec = object.at("spec");
  for (const name of ["leaseDurationSeconds", "leaseTransitions"]) {
    const value = spec.at(name);
    if (!value.isSet) continue;
    if (name === "leaseDurationSeconds" && value.number <= 0) value.invalid("must be greater than 0");
    if (name === "leaseTransitions" && value.number < 0) value.invalid("must be greater than or equal to 0");
  }
}

function leaseCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "spec", "holderIdentity"), age(object, nowMs)];
}
