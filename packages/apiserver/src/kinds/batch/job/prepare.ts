import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { textAt } from "../../../values/fields.ts";
import { fill, partOf } from "../../defaulting/fill.ts";
import type { CreateContext } from "../../strategy.ts";

/** Adds labels and a selector that identify the pods of a new Job, unless the client manages the selector. */
export function prepareNewJob(object: JsonRecord, { uid }: CreateContext): void {
  const spec = partOf(object, "spec");
  if (spec["manualSelector"] === true) return;
  const name = textAt(object, "metadata", "name");
  const labels = partOf(partOf(partOf(spec, "template"), "metadata"), "labels");
  const metadata = partOf(object, "metadata");
  const own = isRecord(metadata["labels"]) ? metadata["labels"] : {};
  // A Job without labels gets those of its template, as in `SetDefaults_Job`.
  const isShared = Object.keys(own).length === 0 || isEqual(own, labels);
  fill(labels, {
    "job-name": name,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "batch.kubernetes.io/controller-uid": uid,
  });
  if (isShared) metadata["labels"] = { ...labels };
  fill(partOf(partOf(spec, "selector"), "matchLabels"), { "batch.kubernetes.io/controller-uid": uid });
}
