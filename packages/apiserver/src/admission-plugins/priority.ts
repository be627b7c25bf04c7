import { isRecord, type JsonRecord } from "@homeostat/core";
import { isSet, numberAt, textAt, valueAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { forbid, isAbout } from "../admission/forbid.ts";

const group = "scheduling.k8s.io";
const resource = "priorityclasses";

/** Returns the step that sets the priority of a new pod from its class, and allows at most one default class. */
export function priority(reader: ClusterReader): AdmissionStep {
  return {
    name: "Priority",
    mutate: (request) => {
      const { object: pod, oldObject, operation } = request;
      if (pod === undefined || !isAbout(request, "pods")) return undefined;
      if (operation === "CREATE") return withPriority(request, pod, reader);
      return operation === "UPDATE" ? keepPriority(pod, oldObject) : undefined;
    },
    validate: (request) => {
      const { object, operation } = request;
      if (!isAbout(request, `${resource}.${group}`) || valueAt(object, "globalDefault") !== true) return;
      const other = textAt(defaultClass(reader), "metadata", "name");
      const isFine = other === "" || (operation === "UPDATE" && other === textAt(object, "metadata", "name"));
      if (isFine || operation === "DELETE") return;
      throw forbid(request, `PriorityClass ${other} is already marked as default. Only one default can exist`);
    },
  };
}

/** Returns the default class. Should several exist, the one with the lowest value wins, as on the real server. */
function defaultClass(reader: ClusterReader): JsonRecord | undefined {
  return reader
    .list({ group, resource, namespace: "" })
    .filter((each) => valueAt(each, "globalDefault") === true)
    .toSorted((a, b) => numberAt(a, "value") - numberAt(b, "value"))[0];
}

function withPriority(request: AdmissionRequest, pod: JsonRecord, reader: ClusterReader): JsonRecord {
  const className = textAt(pod, "spec", "priorityClassName");
  const found =
    className === "" ? defaultClass(reader) : reader.get({ group, resource, namespace: "", name: className });
  if (found === undefined && className !== "") {
    throw forbid(request, `no PriorityClass with name ${className} was found`);
  }
  const name = textAt(found, "metadata", "name");
  const value = numberAt(found, "value");
  const policy = found === undefined ? "PreemptLowerPriority" : textAt(found, "preemptionPolicy");
  const spec = isRecord(pod["spec"]) ? pod["spec"] : {};
  const computed = "priority admission controller computed";
  const given = "from the given PriorityClass name";
  if (isSet(spec, "priority") && spec["priority"] !== value) {
    const problem = `the integer value of priority (${String(spec["priority"])}) must not be provided in pod spec`;
    throw forbid(request, `${problem}; ${computed} ${value} ${given}`);
  }
  const own = textAt(spec, "preemptionPolicy");
  if (own !== "" && policy !== "" && own !== policy) {
    const problem = `the string value of PreemptionPolicy (${own}) must not be provided in pod spec`;
    throw forbid(request, `${problem}; ${computed} ${policy} ${given}`);
  }
  return {
    ...pod,
    spec: {
      ...spec,
      ...(name === "" ? {} : { priorityClassName: name }),
      priority: value,
      ...(policy === "" ? {} : { preemptionPolicy: policy }),
    },
  };
}

/** Keeps the priority that was set at creation if an update omits it. */
function keepPriority(pod: JsonRecord, old: JsonRecord | undefined): JsonRecord | undefined {
  const kept: JsonRecord = {};
  for (const field of ["priority", "preemptionPolicy"]) {
    if (!isSet(pod, "spec", field) && isSet(old, "spec", field)) kept[field] = valueAt(old, "spec", field);
  }
  if (Object.keys(kept).length === 0) return undefined;
  return { ...pod, spec: { ...(isRecord(pod["spec"]) ? pod["spec"] : {}), ...kept } };
}
