import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { formatProblem, type Problem } from "@homeostat/schema";
import { joinMessages } from "../../../admission/forbid.ts";
import type { SpecialRequest, SpecialStore } from "../../../endpoints/endpoint-store.ts";
import { badRequestStatus, conflictStatus, notFoundStatus, unknownErrorStatus } from "../../../status/refusals.ts";
import { type ServerStatus, StatusError } from "../../../status/status.ts";
import { isSet, listAt, textAt } from "../../../values/fields.ts";
import { Field } from "../../../validation/field.ts";
import { withPodCondition } from "./conditions.ts";

const pods = { group: "", resource: "pods" };

/** Status of an endpoint that acts on an object and returns none. */
export const createdStatus: ServerStatus = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
};

/** Binds a pod to a node: a POST to `pods/NAME/binding` or to `bindings`. */
export async function bindPod(request: SpecialRequest, store: SpecialStore): Promise<ServerStatus> {
  const { name, namespace, object: binding, isDryRun, nowMs } = request;
  if (textAt(binding, "metadata", "name") !== name) {
    throw new StatusError(badRequestStatus("name in URL does not match name in Binding object"));
  }
  const problems = bindingProblems(binding);
  // kube-apiserver responds with a generic 500 to an invalid binding.
  if (problems.length > 0) throw new StatusError(unknownErrorStatus(joinMessages(problems.map(formatProblem))));
  await request.validate();
  const storedName = { ...pods, namespace, name };
  const pod = store.get(storedName);
  if (pod === undefined) throw new StatusError(notFoundStatus(pods, name));
  const bound = boundPod(pod, binding, nowMs);
  if (!isDryRun) await store.replace(storedName, bound);
  return createdStatus;
}

function bindingProblems(binding: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  const target = new Field(binding["target"], "target", problems);
  const kind = target.at("kind");
  if (kind.text !== "" && kind.text !== "Node") kind.notSupported(["Node", "<empty>"]);
  if (target.at("name").text === "") target.at("name").required();
  return problems;
}

/** Returns the pod with its node. Throws a `StatusError` (409) when it is being deleted, already bound or gated. */
function boundPod(pod: JsonRecord, binding: JsonRecord, nowMs: number): JsonRecord {
  const name = textAt(pod, "metadata", "name");
  checkPreconditions(pod, binding);
  const refuse = (why: string): StatusError =>
    new StatusError(conflictStatus({ group: "", resource: "pods/binding" }, name, why));
  if (isSet(pod, "metadata", "deletionTimestamp")) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const node = textAt(pod, "spec", "nodeName");
  if (node !== "") throw refuse(`pod ${name} is already assigned to node ${quote(node)}`);
  if (listAt(pod, "spec", "schedulingGates").length > 0)
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const metadata = isRecord(pod["metadata"]) ? pod["metadata"] : {};
  const added = (field: string): JsonRecord => {
    const own = isRecord(metadata[field]) ? metadata[field] : {};
    const more = recordAt(binding, field);
    return Object.keys(more).length === 0 ? {} : { [field]: { ...own, ...more } };
  };
  const status = isRecord(pod["status"]) ? pod["status"] : {};
  const { nominatedNodeName: _nominated, ...kept } = status;
  const placed = {
    ...pod,
    metadata: { ...metadata, ...added("labels"), ...added("annotations") },
    spec: { ...(isRecord(pod["spec"]) ? pod["spec"] : {}), nodeName: textAt(binding, "target", "name") },
    status: kept,
  };
  return withPodCondition(placed, { type: "PodScheduled", status: "True" }, nowMs);
}

function recordAt(binding: JsonRecord, field: string): JsonRecord {
  const metadata = binding["metadata"];
  const found = isRecord(metadata) ? metadata[field] : undefined;
  return isRecord(found) ? found : {};
}

/** Checks the uid and `resourceVersion` of a binding, with which it can select the pod more precisely than by name. */
function checkPreconditions(pod: JsonRecord, binding: JsonRecord): void {
  const [name, namespace] = [textAt(pod, "metadata", "name"), textAt(pod, "metadata", "namespace")];
  const key = `/registry/pods/${namespace}/${name}`;
  for (const [field, title] of [
    ["uid", "UID"],
    ["resourceVersion", "ResourceVersion"],
  ] as const) {
    const [wanted, found] = [textAt(binding, "metadata", field), textAt(pod, "metadata", field)];
    if (wanted === "" || wanted === found) continue;
    const why = `Precondition failed: ${title} in precondition: ${wanted}, ${title} in object meta: ${found}`;
    const storage = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0`;
    throw new StatusError(conflictStatus(pods, name, `${storage}, AdditionalErrorMsg: ${why}`));
  }
}
