import { isSet, listAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";
import { deviceRequestDefaults } from "../device-requests.ts";

/** ResourceClaims: status writes keep the stored metadata; the spec is not validated here. */
export const resourceClaimStrategy: KindStrategy = {
  group: "resource.k8s.io",
  plural: "resourceclaims",
  returnsDeletedObject: true,
  defaults: deviceRequestDefaults,
  status: keptStatusMetadata,
  table: { cells: deviceClaimCells },
};

function deviceClaimCells(object: unknown, nowMs: number): unknown[] {
  const isGoing = isSet(object, "metadata", "deletionTimestamp");
  const isAllocated = isSet(object, "status", "allocation");
  const isReserved = isAllocated && listAt(object, "status", "reservedFor").length > 0;
  const states = [
    ...(isGoing ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isGoing ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ];
  return [nameOf(object), states.join(","), age(object, nowMs)];
}
