import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, numberAt, textAt } from "../../../values/fields.ts";

/**
 * Removes, in place, the values that the former type of a Service needed and its new type does not (`dropTypeDependentFields`).
 *
 * Only unchanged values are removed: when the update also changes such a field, validation rejects it.
 */
export function dropTypeDependentFields(spec: JsonRecord, before: JsonRecord): void {
  const [type, old] = [textAt(spec, "type"), textAt(before, "type")];
  const dropIfUnchanged = (...fields: readonly string[]): void => {
    if (fields.every((field) => isEqual(spec[field], before[field]))) for (const field of fields) delete spec[field];
  };
  if (old !== "ExternalName" && type === "ExternalName") {
    dropIfUnchanged("clusterIP", "clusterIPs");
    dropIfUnchanged("ipFamilies");
    dropIfUnchanged("ipFamilyPolicy");
    dropIfUnchanged("internalTrafficPolicy");
  }
  if (hasNodePorts(old) && !hasNodePorts(type) && isEqual(nodePorts(spec), nodePorts(before))) {
    spec["ports"] = listAt(spec, "ports").map((port) => {
      if (!isRecord(port)) return port;
      const { nodePort: _nodePort, ...rest } = port;
      return rest;
    });
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) dropIfUnchanged("healthCheckNodePort");
  if (old === "LoadBalancer" && type !== "LoadBalancer") {
    dropIfUnchanged("allocateLoadBalancerNodePorts");
    dropIfUnchanged("loadBalancerClass");
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec)) dropIfUnchanged("externalTrafficPolicy");
}

function hasNodePorts(type: string): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

function nodePorts(spec: JsonRecord): number[] {
  return listAt(spec, "ports")
    .map((port) => numberAt(port, "nodePort"))
    .filter((port) => port !== 0)
    .toSorted((a, b) => a - b);
}

function needsHealthCheckPort(spec: JsonRecord): boolean {
  return textAt(spec, "type") === "LoadBalancer" && textAt(spec, "externalTrafficPolicy") === "Local";
}

function isExternallyAccessible(spec: JsonRecord): boolean {
  const type = textAt(spec, "type");
  return hasNodePorts(type) || (type === "ClusterIP" && listAt(spec, "externalIPs").length > 0);
}
