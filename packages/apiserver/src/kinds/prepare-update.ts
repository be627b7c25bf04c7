// What the server carries over into an object that replaces another, whatever the client sent.

import { deepClone, isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, numberAt, textAt, valueAt } from "../tables/read.ts";
import { isUnset, partOf } from "./fill.ts";
import { templateGeneration } from "./prepare-create.ts";
import type { BuiltInKind } from "./resource.ts";

/**
 * Carries over into a changed object, in place and after its defaults, what only the server or another path may change: the
 * status, the finalizers of a Namespace, and what a Service was given and does not name.
 */
export function prepareForUpdate(kind: BuiltInKind, object: JsonRecord, old: JsonRecord): void {
  if (kind.hasStatus) carry(object, old, "status");
  const name = `${kind.plural}.${kind.group}`;
  if (name === "namespaces.") carry(partOf(object, "spec"), partOf(deepClone(old), "spec"), "finalizers");
  if (name === "daemonsets.apps") countTemplate(object, old);
  if (name === "services.") carryAddresses(partOf(object, "spec"), isRecord(old["spec"]) ? old["spec"] : {});
}

/** A DaemonSet counts the changes of its template in an annotation, whatever is sent as one. */
function countTemplate(object: JsonRecord, old: JsonRecord): void {
  const before = Number(textAt(old, "metadata", "annotations", templateGeneration)) || 0;
  const isSame = isEqual(valueAt(object, "spec", "template"), valueAt(old, "spec", "template"));
  const annotations = partOf(partOf(object, "metadata"), "annotations");
  annotations[templateGeneration] = String(isSame ? before : before + 1);
}

function carry(object: JsonRecord, old: JsonRecord, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = deepClone(old[field]);
}

const withAddress = new Set(["ClusterIP", "NodePort", "LoadBalancer"]);

function carryAddresses(spec: JsonRecord, old: JsonRecord): void {
  if (!withAddress.has(textAt(spec, "type")) || !withAddress.has(textAt(old, "type"))) return;
  if (isUnset(spec["clusterIP"]) && listAt(spec, "clusterIPs").length === 0) {
    for (const field of ["clusterIP", "clusterIPs"]) if (old[field] !== undefined) carry(spec, old, field);
  }
  if (textAt(spec, "type") === "ClusterIP" || textAt(old, "type") === "ClusterIP") return;
  const before = listAt(old, "ports");
  for (const port of listAt(spec, "ports")) {
    if (!isRecord(port) || numberAt(port, "nodePort") !== 0) continue;
    const same = before.find(
      (each) =>
        textAt(each, "protocol") === textAt(port, "protocol") && numberAt(each, "port") === numberAt(port, "port"),
    );
    if (numberAt(same, "nodePort") !== 0) port["nodePort"] = numberAt(same, "nodePort");
  }
}
