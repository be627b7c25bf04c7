import { nameAndAgeCells } from "../../../tables/plain-cells.ts";
import type { KindStrategy } from "../../strategy.ts";

/** DeviceClasses: the spec is not validated here. */
export const deviceClassStrategy: KindStrategy = {
  group: "resource.k8s.io",
  plural: "deviceclasses",
  hasGeneration: true,
  returnsDeletedObject: true,
  table: { cells: nameAndAgeCells },
};
