import { isRecord, type JsonRecord } from "@homeostat/core";
import { isSet, listAt, textAt } from "../../../values/fields.ts";
import type { TypeDefaults } from "../../defaulting/defaults.ts";
import { fill } from "../../defaulting/fill.ts";

function defaultServiceSpec(value: JsonRecord): void {
  const type = textAt(value, "type");
  const isReachable = type === "NodePort" || type === "LoadBalancer";
  if (textAt(value, "sessionAffinity") === "None") delete value["sessionAffinityConfig"];
  if (
    textAt(value, "sessionAffinity") === "ClientIP" &&
    !isSet(value, "sessionAffinityConfig", "clientIP", "timeoutSeconds")
  ) {
    value["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: 10800 } };
  }
  for (const port of listAt(value, "ports")) {
    if (!isRecord(port)) continue;
    fill(port, { protocol: "TCP" });
    const target = port["targetPort"];
    if (target === undefined || target === null || target === 0 || target === "") port["targetPort"] = port["port"];
  }
  const hasOutside = type === "ClusterIP" && listAt(value, "externalIPs").length > 0;
  if (isReachable || hasOutside) fill(value, { externalTrafficPolicy: "Cluster" });
  if (isReachable || type === "ClusterIP") fill(value, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") fill(value, { allocateLoadBalancerNodePorts: true });
}

function defaultServiceStatus(value: JsonRecord): void {
  if (textAt(value, "spec", "type") !== "LoadBalancer") return;
  for (const entry of listAt(value, "status", "loadBalancer", "ingress")) {
    if (isRecord(entry) && textAt(entry, "ip") !== "") fill(entry, { ipMode: "VIP" });
  }
}

/** Defaults of Services. */
export const serviceDefaults: TypeDefaults = {
  "core.v1.Service": { rule: defaultServiceStatus },
  "core.v1.ServiceSpec": { values: { sessionAffinity: "None", type: "ClusterIP" }, rule: defaultServiceSpec },
};
