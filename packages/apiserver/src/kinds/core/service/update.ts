// Addresses of a Service on updates.

import { isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, numberAt, textAt } from "../../../values/fields.ts";
import { carryOver } from "../../updates/carry-over.ts";
import type { Field } from "../../../validation/field.ts";
import { isUnset, partOf } from "../../defaulting/fill.ts";

/** Restores, in place, the addresses and node ports that an update omits. */
export function keepAddresses(object: JsonRecord, old: JsonRecord): void {
  restoreAddresses(partOf(object, "spec"), isRecord(old["spec"]) ? old["spec"] : {});
}

/** Checks that an update keeps the cluster IP. */
export function checkChangedService(object: Field, old: Field): void {
  const [type, before] = [object.at("spec").at("type").text, old.at("spec").at("type").text];
  if (type === "ExternalName" || before === "ExternalName") return;
  const address = old.at("spec").at("clusterIP").text;
  // A missing cluster IP is restored from the stored Service.
  const next = object.at("spec").at("clusterIP").text;
  if (address === "" || next === "" || next === address) return;
  const first = object.at("spec").at("clusterIPs");
  const field = first.items()[0]?.as("spec.clusterIPs[0]") ?? first;
  field.invalid("may not change once set", first.value ?? [object.at("spec").at("clusterIP").text]);
}

const withAddress = new Set(["ClusterIP", "NodePort", "LoadBalancer"]);

function restoreAddresses(spec: JsonRecord, old: JsonRecord): void {
  if (!withAddress.has(textAt(spec, "type")) || !withAddress.has(textAt(old, "type"))) return;
  if (isUnset(spec["clusterIP"]) && listAt(spec, "clusterIPs").length === 0) {
    for (const field of ["clusterIP", "clusterIPs"]) if (old[field] !== undefined) carryOver(spec, old, field);
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
