import { humanDuration } from "@homeostat/core";
import { countOf } from "./network-cells.ts";
import { entriesAt, isSet, listAt, numberAt, textAt, valueAt } from "./read.ts";
import { age, instantMs, nameOf, orWord, quantityText, since } from "./words.ts";

/** The cells of a kind that shows its name and its age alone. */
export function nameAndAgeCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), age(object, nowMs)];
}

/** The cells of a config map. */
export function configMapCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), countOf(object, "data") + countOf(object, "binaryData"), age(object, nowMs)];
}

/** The cells of a secret. */
export function secretCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "type"), countOf(object, "data"), age(object, nowMs)];
}

/** The cells of a namespace. */
export function namespaceCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "status", "phase"), age(object, nowMs)];
}

/** The cells of a lease. */
export function leaseCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "spec", "holderIdentity"), age(object, nowMs)];
}

/** The cells of a runtime class. */
export function runtimeClassCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "handler"), age(object, nowMs)];
}

/** The cells of a configuration of webhooks. */
export function webhookCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), listAt(object, "webhooks").length, age(object, nowMs)];
}

/** The cells of an admission policy. */
export function policyCells(object: unknown, nowMs: number): unknown[] {
  const kind = valueAt(object, "spec", "paramKind");
  const rules = listAt(object, "spec", "validations").length || listAt(object, "spec", "mutations").length;
  const words = isSet(kind) ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
  return [nameOf(object), rules, words, age(object, nowMs)];
}

/** The cells of a policy binding. */
export function policyBindingCells(object: unknown, nowMs: number): unknown[] {
  const ref = valueAt(object, "spec", "paramRef");
  const name = textAt(ref, "name");
  const words = name === "" ? "<unset>" : `${orWord(textAt(ref, "namespace"), "*")}/${name}`;
  return [nameOf(object), textAt(object, "spec", "policyName"), words, age(object, nowMs)];
}

/** The cells of a binding of a role. */
export function bindingCells(object: unknown, nowMs: number): unknown[] {
  const subjects = listAt(object, "subjects");
  const names = (kind: string, print: (subject: unknown) => string): string =>
    subjects
      .filter((subject) => textAt(subject, "kind") === kind)
      .map(print)
      .join(", ");
  return [
    nameOf(object),
    `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
    age(object, nowMs),
    names("User", (subject) => textAt(subject, "name")),
    names("Group", (subject) => textAt(subject, "name")),
    names("ServiceAccount", (subject) => `${textAt(subject, "namespace")}/${textAt(subject, "name")}`),
  ];
}

/** The cells of a node. */
export function nodeCells(object: unknown, nowMs: number): unknown[] {
  const info = valueAt(object, "status", "nodeInfo");
  const machine = textAt(info, "architecture");
  const kernel = orWord(textAt(info, "kernelVersion"), "<unknown>");
  const address = (type: string): string =>
    textAt(
      listAt(object, "status", "addresses").find((each) => textAt(each, "type") === type),
      "address",
    );
  return [
    nameOf(object),
    nodeWord(object),
    orWord(rolesOf(object).join(","), "<none>"),
    age(object, nowMs),
    textAt(info, "kubeletVersion"),
    orWord(address("InternalIP"), "<none>"),
    orWord(address("ExternalIP"), "<none>"),
    orWord(textAt(info, "osImage"), "<unknown>"),
    machine === "" ? kernel : `${kernel} (${machine})`,
    orWord(textAt(info, "containerRuntimeVersion"), "<unknown>"),
  ];
}

function nodeWord(node: unknown): string {
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

/** The cells of an event of either group: what they hold is the same under two sets of names. */
export function eventCells(object: unknown, nowMs: number): unknown[] {
  const old = (name: string, later: string): unknown => valueAt(object, name) ?? valueAt(object, later);
  const oldText = (name: string, later: string): string => orWord(textAt(object, name), textAt(object, later));
  const about = old("involvedObject", "regarding");
  const first = old("firstTimestamp", "deprecatedFirstTimestamp");
  const last = old("lastTimestamp", "deprecatedLastTimestamp");
  const series = valueAt(object, "series");
  const count = Number(old("count", "deprecatedCount") ?? 0);
  const source = old("source", "deprecatedSource");
  const component = orWord(textAt(source, "component"), oldText("reportingComponent", "reportingController"));
  const host = orWord(textAt(source, "host"), textAt(object, "reportingInstance"));
  const kind = textAt(about, "kind").toLowerCase();
  const name = textAt(about, "name");
  const firstSeen = since(isSet(first) ? first : valueAt(object, "eventTime"), nowMs);
  return [
    isSet(series) ? since(valueAt(series, "lastObservedTime"), nowMs) : isSet(last) ? since(last, nowMs) : firstSeen,
    textAt(object, "type"),
    textAt(object, "reason"),
    name === "" ? kind : `${kind}/${name}`,
    textAt(about, "fieldPath"),
    host === "" ? component : `${component}, ${host}`,
    oldText("message", "note").trim(),
    firstSeen,
    isSet(series) ? numberAt(series, "count") : count === 0 ? 1 : count,
    nameOf(object),
  ];
}

/** The cells of a resource quota. */
export function quotaCells(object: unknown, nowMs: number): unknown[] {
  const entries = entriesAt(object, "status", "hard").toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = entries.map(([name, hard]) => ({
    isLimit: name.startsWith("limits."),
    text: `${name}: ${quantityText(valueAt(object, "status", "used", name))}/${quantityText(hard)}`,
  }));
  const join = (isLimit: boolean): string =>
    texts
      .filter((each) => each.isLimit === isLimit)
      .map(({ text }) => text)
      .join(", ");
  return [nameOf(object), join(false), join(true), age(object, nowMs)];
}

/** The cells of a signing request. */
export function signingRequestCells(object: unknown, nowMs: number): unknown[] {
  const types = listAt(object, "status", "conditions").map((condition) => textAt(condition, "type"));
  const verdict = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending";
  const failed = types.includes("Failed") ? ",Failed" : "";
  const issued = textAt(object, "status", "certificate") === "" ? "" : ",Issued";
  return [
    nameOf(object),
    age(object, nowMs),
    orWord(textAt(object, "spec", "signerName"), "<none>"),
    textAt(object, "spec", "username"),
    isSet(object, "spec", "expirationSeconds")
      ? humanDuration(numberAt(object, "spec", "expirationSeconds") * 1000)
      : "<none>",
    `${verdict}${failed}${issued}`,
  ];
}

/** The cells of a kind without columns of its own: its name and when it was created. */
export function createdAtCells(object: unknown): unknown[] {
  const created = textAt(object, "metadata", "creationTimestamp");
  return [nameOf(object), instantMs(created) === undefined ? "0001-01-01T00:00:00Z" : created];
}

/** The cells of the health of a component. */
export function componentCells(object: unknown): unknown[] {
  const healthy = listAt(object, "conditions").find((each) => textAt(each, "type") === "Healthy");
  const status = healthy === undefined ? "Unknown" : textAt(healthy, "status") === "True" ? "Healthy" : "Unhealthy";
  return [nameOf(object), status, textAt(healthy, "message"), textAt(healthy, "error")];
}
