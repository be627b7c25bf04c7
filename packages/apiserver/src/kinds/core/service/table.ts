import { listAt, numberAt, textAt } from "../../../values/fields.ts";
import { age, labelText, nameOf, textOr } from "../../../tables/cell-text.ts";
import { loadBalancerAddresses } from "../../field-rules/load-balancer-addresses.ts";

/** Returns the table cells of a service. */
export function serviceCells(object: unknown, nowMs: number): unknown[] {
  const ports = listAt(object, "spec", "ports").map((port) => {
    const nodePort = numberAt(port, "nodePort");
    return `${numberAt(port, "port")}${nodePort > 0 ? `:${nodePort}` : ""}/${textAt(port, "protocol")}`;
  });
  return [
    nameOf(object),
    textAt(object, "spec", "type"),
    textOr(listAt(object, "spec", "clusterIPs").map(String)[0] ?? "", "<none>"),
    externalAddress(object),
    textOr(ports.join(","), "<none>"),
    age(object, nowMs),
    labelText(object, "spec", "selector"),
  ];
}

function externalAddress(service: unknown): string {
  const addresses = listAt(service, "spec", "externalIPs").map(String);
  switch (textAt(service, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return textOr(addresses.join(","), "<none>");
    case "LoadBalancer":
      return textOr([...loadBalancerAddresses(service), ...addresses].join(","), "<pending>");
    case "ExternalName":
      return textAt(service, "spec", "externalName");
    default:
      return "<unknown>";
  }
}
