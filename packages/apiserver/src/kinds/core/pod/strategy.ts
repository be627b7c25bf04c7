import type { JsonRecord } from "@homeostat/core";
import { listAt, numberAt, textAt } from "../../../values/fields.ts";
import { podNameWarnings, podWarnings } from "../../pod-templates/pod-warnings.ts";
import { fieldAt, nameField, namespaceField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";
import { podDefaults } from "./defaults.ts";
import { podEndpoints } from "./endpoints.ts";
import { keepPodStatus, prepareNewPod } from "./prepare.ts";
import { podQuota } from "./quota.ts";
import { podCells, podRowConditions } from "./table.ts";
import { checkChangedPod } from "./update.ts";
import { checkPod } from "./validation.ts";

/** Pods: created in phase Pending, deleted gracefully, and immutable except for a few fields; see `update.ts`. */
export const podStrategy: KindStrategy = {
  group: "",
  plural: "pods",
  hasGeneration: true,
  returnsDeletedObject: true,
  defaults: podDefaults,
  prepareForCreate: prepareNewPod,
  validate: checkPod,
  validateUpdate: checkChangedPod,
  status: {
    keptMetadata: ["ownerReferences"],
    resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
    prepare: keepPodStatus,
  },
  warnings: podWarningsOnCreate,
  endpoints: podEndpoints,
  gracePeriodSeconds: podGracePeriod,
  quota: podQuota,
  table: { cells: podCells, conditions: podRowConditions },
  fieldSelectors: selectable(
    nameField,
    namespaceField,
    fieldAt("spec.nodeName"),
    fieldAt("spec.restartPolicy"),
    fieldAt("spec.schedulerName"),
    fieldAt("spec.serviceAccountName"),
    fieldAt("spec.hostNetwork", "false"),
    fieldAt("status.phase"),
    ["status.podIP", (pod) => textAt(listAt(pod, "status", "podIPs")[0], "ip") || textAt(pod, "status", "podIP")],
    ["status.podIPs", (pod) => textAt(pod, "status", "podIPs")],
    fieldAt("status.nominatedNodeName"),
    ["spec.host", (pod) => textAt(pod, "spec", "nodeName")],
  ),
};

/** Returns the grace period of a pod: zero when no kubelet has to stop it, because it has no node or has ended. */
function podGracePeriod(pod: JsonRecord, requested: number | undefined): number {
  const phase = textAt(pod, "status", "phase");
  if (textAt(pod, "spec", "nodeName") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  return requested ?? numberAt(pod, "spec", "terminationGracePeriodSeconds");
}

/** Returns the warnings for a new pod. Updates get none, because most come from controllers. */
function podWarningsOnCreate(object: JsonRecord, old: JsonRecord | undefined): readonly string[] {
  return old === undefined ? [...podNameWarnings(textAt(object, "metadata", "name")), ...podWarnings(object, "")] : [];
}
