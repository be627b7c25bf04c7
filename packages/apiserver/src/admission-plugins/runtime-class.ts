import { quote } from "@homeostat/cel";
import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { entriesAt, isSet, listAt, textAt, valueAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { forbid, isAbout } from "../admission/forbid.ts";
import { withSpec } from "./node-steps.ts";
import { amountsAt, amountsText } from "../admission/resource-lists.ts";

/** Returns the step that sets the overhead, node selector and tolerations of a pod's RuntimeClass on a new pod. */
export function runtimeClass(reader: ClusterReader): AdmissionStep {
  const isNewPod = (request: AdmissionRequest): boolean => request.operation === "CREATE" && isAbout(request, "pods");
  return {
    name: "RuntimeClass",
    mutate: (request) => {
      const { object: pod } = request;
      if (pod === undefined || !isNewPod(request)) return undefined;
      const found = classOf(request, reader);
      return found === undefined ? undefined : withClass(request, pod, found);
    },
    validate: (request) => {
      if (!isNewPod(request)) return;
      const overhead = valueAt(classOf(request, reader), "overhead");
      const own = valueAt(request.object, "spec", "overhead");
      if (!isSet(overhead)) {
        if (!isSet(own)) return;
        throw forbid(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
      }
      if (!isSameOverhead(own, overhead)) throw overheadMismatch(request);
    },
  };
}

function classOf(request: AdmissionRequest, reader: ClusterReader): JsonRecord | undefined {
  if (!isSet(request.object, "spec", "runtimeClassName")) return undefined;
  const name = textAt(request.object, "spec", "runtimeClassName");
  const found = reader.get({ group: "node.k8s.io", resource: "runtimeclasses", namespace: "", name });
  if (found === undefined) throw forbid(request, `pod rejected: RuntimeClass ${quote(name)} not found`);
  return found;
}

function overheadMismatch(request: AdmissionRequest): Error {
  return forbid(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function isSameOverhead(own: unknown, overhead: unknown): boolean {
  return amountsText(amountsAt(own)) === amountsText(amountsAt(overhead, "podFixed"));
}

function withClass(request: AdmissionRequest, pod: JsonRecord, found: JsonRecord): JsonRecord {
  const overhead = valueAt(found, "overhead");
  const own = valueAt(pod, "spec", "overhead");
  if (isSet(overhead) && entriesAt(own).length > 0 && !isSameOverhead(own, overhead)) throw overheadMismatch(request);
  const selector: JsonRecord = { ...(isRecord(valueAt(pod, "spec", "nodeSelector")) ? nodeSelectorOf(pod) : {}) };
  for (const [key, value] of entriesAt(found, "scheduling", "nodeSelector")) {
    if (Object.hasOwn(selector, key) && selector[key] !== value) {
      const classSelector = `runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}`;
      throw forbid(request, `conflict: ${classSelector}; pod.spec.nodeSelector[${key}] = ${String(selector[key])}`);
    }
    Object.defineProperty(selector, key, { value, enumerable: true, writable: true, configurable: true });
  }
  const tolerations = listAt(pod, "spec", "tolerations");
  const added = listAt(found, "scheduling", "tolerations").filter(
    (toleration) => !tolerations.some((each) => isEqual(each, toleration)),
  );
  return withSpec(pod, {
    ...(isSet(overhead) ? { overhead: valueAt(overhead, "podFixed") } : {}),
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
    ...(added.length === 0 ? {} : { tolerations: [...tolerations, ...added] }),
  });
}

function nodeSelectorOf(pod: JsonRecord): JsonRecord {
  return Object.fromEntries(entriesAt(pod, "spec", "nodeSelector"));
}
