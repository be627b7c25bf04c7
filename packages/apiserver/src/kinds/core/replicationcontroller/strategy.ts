import { deepClone, isRecord, type JsonRecord } from "@homeostat/core";
import { countedAs } from "../../../admission/quota-evaluator.ts";
import { entriesAt, valueAt } from "../../../values/fields.ts";
import { labelText } from "../../../tables/cell-text.ts";
import { labelsFrom } from "../../defaulting/defaults.ts";
import { partOf } from "../../defaulting/fill.ts";
import { fieldAt, nameField, namespaceField, selectable } from "../../selectors/selectable-fields.ts";
import { mapSelectorText } from "../../selectors/selector-text.ts";
import { replicaSetCells } from "../../workload-cells.ts";
import type { KindStrategy } from "../../strategy.ts";

/** ReplicationControllers: deleting one orphans its pods by default, and its selector is a plain map. */
export const replicationControllerStrategy: KindStrategy = {
  group: "",
  plural: "replicationcontrollers",
  hasGeneration: true,
  registryPath: "controllers",
  defaults: {
    "core.v1.ReplicationController": { rule: defaultReplicationController },
    "core.v1.ReplicationControllerSpec": { values: { replicas: 1 } },
  },
  orphanWarning: "",
  scaleSelector: mapSelectorText,
  podTemplatePath: ["spec", "template"],
  quota: countedAs("replicationcontrollers"),
  table: { cells: replicationControllerCells },
  fieldSelectors: selectable(nameField, namespaceField, fieldAt("status.replicas", "0")),
};

function defaultReplicationController(value: JsonRecord): void {
  const labels = valueAt(value, "spec", "template", "metadata", "labels");
  if (!isRecord(labels)) return;
  if (entriesAt(value, "spec", "selector").length === 0) partOf(value, "spec")["selector"] = deepClone(labels);
  labelsFrom(value, labels);
}

function replicationControllerCells(object: unknown, nowMs: number): unknown[] {
  return [...replicaSetCells(object, nowMs).slice(0, -1), labelText(object, "spec", "selector")];
}
