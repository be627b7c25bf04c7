import { quote } from "@homeostat/cel";
import { deepClone, isRecord, type JsonRecord } from "@homeostat/core";
import type { AuthorizedRequest } from "../../../handlers/context.ts";
import { unreachableKubelet } from "../../../endpoints/node-provider.ts";
import { badRequestStatus, notFoundStatus, unknownErrorStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { entriesAt, listAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, textOr } from "../../../tables/cell-text.ts";
import { isUnset } from "../../defaulting/fill.ts";
import { splitId } from "../pod/stream.ts";
import { fieldAt, nameField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";

/** Nodes: a create keeps the status, and `proxy` is rejected. */
export const nodeStrategy: KindStrategy = {
  group: "",
  plural: "nodes",
  registryPath: "minions",
  defaults: { "core.v1.NodeStatus": { rule: defaultAllocatable } },
  // The kubelet reports the status when it registers its node.
  keepsStatusOnCreate: true,
  endpoints: () => [{ subresource: "proxy", handle: rejectProxy }],
  table: { cells: nodeCells },
  fieldSelectors: selectable(nameField, fieldAt("spec.unschedulable", "false")),
};

/** Default of `--kubelet-preferred-address-types` of kube-apiserver. */
const preferredAddresses = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/** Rejects a request to `nodes/NAME/proxy`, because simulated kubelets have no proxy. The name may be `SCHEME:NAME:PORT`. */
async function rejectProxy({ request, parts }: AuthorizedRequest): Promise<never> {
  const { name: id } = request.info;
  const parsed = splitId(id);
  if (parsed === undefined) throw new StatusError(badRequestStatus(`invalid node request ${quote(id)}`));
  const storedName = { group: "", resource: "nodes", namespace: "", name: parsed.name };
  const node = parts.registry.get(storedName);
  if (node === undefined) throw new StatusError(notFoundStatus(storedName, parsed.name));
  const addresses = listAt(node, "status", "addresses");
  if (addresses.some((each) => preferredAddresses.includes(textAt(each, "type")))) throw unreachableKubelet();
  const known = addresses.map((each) => `{${textAt(each, "type")} ${textAt(each, "address")}}`).join(" ");
  throw new StatusError(unknownErrorStatus(`no preferred addresses found; known addresses: [${known}]`));
}

function defaultAllocatable(value: JsonRecord): void {
  if (isRecord(value["capacity"]) && isUnset(value["allocatable"])) value["allocatable"] = deepClone(value["capacity"]);
}

function nodeCells(object: unknown, nowMs: number): unknown[] {
  const info = valueAt(object, "status", "nodeInfo");
  const machine = textAt(info, "architecture");
  const kernel = textOr(textAt(info, "kernelVersion"), "<unknown>");
  const address = (type: string): string =>
    textAt(
      listAt(object, "status", "addresses").find((each) => textAt(each, "type") === type),
      "address",
    );
  return [
    nameOf(object),
    nodeStatus(object),
    textOr(rolesOf(object).join(","), "<none>"),
    age(object, nowMs),
    textAt(info, "kubeletVersion"),
    textOr(address("InternalIP"), "<none>"),
    textOr(address("ExternalIP"), "<none>"),
    textOr(textAt(info, "osImage"), "<unknown>"),
    machine === "" ? kernel : `${kernel} (${machine})`,
    textOr(textAt(info, "containerRuntimeVersion"), "<unknown>"),
  ];
}

function nodeStatus(node: unknown): string {
  const ready = listAt(node, "status", "conditions").findLast((each) => textAt(each, "type") === "Ready");
  const word = ready === undefined ? "Unknown" : textAt(ready, "status") === "True" ? "Ready" : "NotReady";
  return valueAt(node, "spec", "unschedulable") === true ? `${word},SchedulingDisabled` : word;
}

function rolesOf(node: unknown): string[] {
  const prefix = "node-role.kubernetes.io/";
  const roles = entriesAt(node, "metadata", "labels").flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return [key.slice(prefix.length)];
    return key === "kubernetes.io/role" ? [String(value)] : [];
  });
  return [...new Set(roles.filter((role) => role !== ""))].toSorted();
}
