// Fields of a pod that the server sets on writes.

import { formatTime, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../../../values/fields.ts";
import { partOf } from "../../defaulting/fill.ts";
import type { CreateContext } from "../../strategy.ts";
import { qosClassOf } from "./qos-class.ts";

/** Sets the initial status of a new pod. */
export function prepareNewPod(object: JsonRecord, { nowMs }: CreateContext): void {
  const status: JsonRecord = { phase: "Pending", qosClass: qosClassOf(object) };
  if (listAt(object, "spec", "schedulingGates").length > 0) {
    const message = "Scheduling is blocked due to non-empty scheduling gates";
    status["conditions"] = [
      {
        type: "PodScheduled",
        status: "False",
        lastTransitionTime: formatTime(nowMs),
        reason: "SchedulingGated",
        message,
      },
    ];
  }
  object["status"] = status;
}

/** Restores the QoS class when a status write omits it. */
export function keepPodStatus(pod: JsonRecord, old: JsonRecord): void {
  const status = partOf(pod, "status");
  const quality = textAt(old, "status", "qosClass");
  if (textAt(status, "qosClass") === "" && quality !== "") status["qosClass"] = quality;
}
