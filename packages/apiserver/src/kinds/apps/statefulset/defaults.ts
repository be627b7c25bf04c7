import { isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../../../values/fields.ts";
import { createParts, type TypeDefaults } from "../../defaulting/defaults.ts";
import { fill, isUnset, partOf } from "../../defaulting/fill.ts";
import { defaultHistory } from "../update-strategy.ts";

function defaultUpdateStrategy(value: JsonRecord): void {
  if (isUnset(value["type"])) {
    value["type"] = "RollingUpdate";
    partOf(value, "rollingUpdate");
  }
  const update = value["rollingUpdate"];
  if (textAt(value, "type") === "RollingUpdate" && isRecord(update)) fill(update, { partition: 0 });
}

function defaultStatefulSetSpec(value: JsonRecord): void {
  createParts("updateStrategy", "template")(value);
  for (const claim of listAt(value, "volumeClaimTemplates")) {
    if (isRecord(claim)) Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
  }
}

/** Defaults of StatefulSets. */
export const statefulSetDefaults: TypeDefaults = {
  "apps.v1.StatefulSetSpec": {
    values: {
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      persistentVolumeClaimRetentionPolicy: {},
      ...defaultHistory,
    },
    rule: defaultStatefulSetSpec,
  },
  "apps.v1.StatefulSetUpdateStrategy": { rule: defaultUpdateStrategy },
  "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": {
    values: { whenDeleted: "Retain", whenScaled: "Retain" },
  },
};
