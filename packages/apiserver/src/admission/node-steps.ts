// What admission adds to pods and nodes so that nodes which fail are dealt with.

import { isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../values/fields.ts";
import type { AdmissionStep } from "./admission.ts";
import { isAbout } from "./forbid.ts";

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";
const graceSeconds = 300;

/** Lets pods stay on a node that fails for five minutes, unless they say something about that themselves. */
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

/** Keeps pods off a new node until it is ready. */
export const taintNodesByCondition: AdmissionStep = {
  name: "TaintNodesByCondition",
  mutate: (request) => {
    const { object: node, operation } = request;
    if (node === undefined || operation !== "CREATE" || !isAbout(request, "nodes")) return undefined;
    const taints = listAt(node, "spec", "taints");
    const isThere = taints.some(
      (taint) => textAt(taint, "key") === notReady && textAt(taint, "effect") === "NoSchedule",
    );
    if (isThere) return undefined;
    return withSpec(node, { taints: [...taints, { key: notReady, effect: "NoSchedule" }] });
  },
};

/** An object with some fields of its spec set. */
export function withSpec(object: JsonRecord, fields: JsonRecord): JsonRecord {
  return { ...object, spec: { ...(isRecord(object["spec"]) ? object["spec"] : {}), ...fields } };
}
