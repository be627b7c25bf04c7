// Admission steps for failing nodes: default tolerations of pods, and the initial taint of nodes.

import { isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../values/fields.ts";
import type { AdmissionStep } from "../admission/admission.ts";
import { isAbout } from "../admission/forbid.ts";

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";
const graceSeconds = 300;

/** Adds tolerations of five minutes for nodes that are not ready or unreachable, unless the pod has its own. */
export const defaultTolerationSeconds: AdmissionStep = {
  name: "DefaultTolerationSeconds",
  mutate: (request) => {
    const { object: pod, operation } = request;
    if (pod === undefined || !isAbout(request, "pods") || (operation !== "CREATE" && operation !== "UPDATE")) {
      return undefined;
    }
    const tolerations = listAt(pod, "spec", "tolerations");
    const missing = [notReady, unreachable].filter(
      (key) =>
        !tolerations.some((each) => {
          const [own, effect] = [textAt(each, "key"), textAt(each, "effect")];
          return (own === key || own === "") && (effect === "NoExecute" || effect === "");
        }),
    );
    if (missing.length === 0) return undefined;
    const added = missing.map((key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: graceSeconds,
    }));
    return withSpec(pod, { tolerations: [...tolerations, ...added] });
  },
};

/** Taints a new node as not ready, so that no pods are scheduled on it until it is ready. */
export const taintNodesByCondition: AdmissionStep = {
  name: "TaintNodesByCondition",
  mutate: (request) => {
    const { object: node, operation } = request;
    if (node === undefined || operation !== "CREATE" || !isAbout(request, "nodes")) return undefined;
    const taints = listAt(node, "spec", "taints");
    const hasTaint = taints.some(
      (taint) => textAt(taint, "key") === notReady && textAt(taint, "effect") === "NoSchedule",
    );
    if (hasTaint) return undefined;
    return withSpec(node, { taints: [...taints, { key: notReady, effect: "NoSchedule" }] });
  },
};

/** Returns the object with the given fields of its spec set. */
export function withSpec(object: JsonRecord, fields: JsonRecord): JsonRecord {
  return { ...object, spec: { ...(isRecord(object["spec"]) ? object["spec"] : {}), ...fields } };
}
