import { textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";

/** VolumeAttachments: status writes keep the stored metadata. */
export const volumeAttachmentStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "volumeattachments",
  requiresVersionOnUpdate: true,
  returnsDeletedObject: true,
  status: keptStatusMetadata,
  table: { cells: attachmentCells },
};

function attachmentCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    textAt(object, "spec", "attacher"),
    textAt(object, "spec", "source", "persistentVolumeName"),
    textAt(object, "spec", "nodeName"),
    valueAt(object, "status", "attached") === true,
    age(object, nowMs),
  ];
}
