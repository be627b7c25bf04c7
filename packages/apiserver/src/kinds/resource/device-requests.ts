// Defaults shared by ResourceClaims and ResourceClaimTemplates.

import type { JsonRecord } from "@homeostat/core";
import { numberAt, textAt } from "../../values/fields.ts";
import type { TypeDefaults } from "../defaulting/defaults.ts";

function defaultCount(value: JsonRecord): void {
  const mode = textAt(value, "allocationMode");
  if ((mode === "" || mode === "ExactCount") && numberAt(value, "count") === 0) value["count"] = 1;
}

/** Defaults of device requests. */
export const deviceRequestDefaults: TypeDefaults = {
  "resource.v1.ExactDeviceRequest": { values: { allocationMode: "ExactCount" }, rule: defaultCount },
  "resource.v1.DeviceSubRequest": { values: { allocationMode: "ExactCount" }, rule: defaultCount },
};
