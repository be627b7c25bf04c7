import { isSet, listAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, textOr } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** CSIDrivers: most fields of the spec have defaults. */
export const csiDriverStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "csidrivers",
  requiresVersionOnUpdate: true,
  returnsDeletedObject: true,
  defaults: {
    "storage.v1.CSIDriverSpec": {
      values: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        volumeLifecycleModes: ["Persistent"],
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  },
  table: { cells: csiDriverCells },
};

function csiDriverCells(object: unknown, nowMs: number): unknown[] {
  const isTrue = (field: string): boolean => valueAt(object, "spec", field) === true;
  return [
    nameOf(object),
    valueAt(object, "spec", "attachRequired") !== false,
    isTrue("podInfoOnMount"),
    isTrue("storageCapacity"),
    isSet(object, "spec", "tokenRequests")
      ? listAt(object, "spec", "tokenRequests")
          .map((request) => textAt(request, "audience"))
          .join(",")
      : "<unset>",
    isTrue("requiresRepublish"),
    textOr(listAt(object, "spec", "volumeLifecycleModes").join(","), "<none>"),
    age(object, nowMs),
  ];
}
