import { listAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";

/** ServiceCIDRs: status writes keep the stored metadata. */
export const serviceCidrStrategy: KindStrategy = {
  group: "networking.k8s.io",
  plural: "servicecidrs",
  status: keptStatusMetadata,
  table: { cells: serviceCidrCells },
};

function serviceCidrCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), listAt(object, "spec", "cidrs").join(","), age(object, nowMs)];
}
