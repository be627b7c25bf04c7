import { entriesAt, isSet, listAt, numberAt, textAt, valueAt } from "./read.ts";
import { age, labelText, nameOf, orWord, selectorText, setOr, someOf } from "./words.ts";

/** The cells of a service. */
export function serviceCells(object: unknown, nowMs: number): unknown[] {
  const ports = listAt(object, "spec", "ports").map((port) => {
    const nodePort = numberAt(port, "nodePort");
    return `${numberAt(port, "port")}${nodePort > 0 ? `:${nodePort}` : ""}/${textAt(port, "protocol")}`;
  });
  return [
    nameOf(object),
    textAt(object, "spec", "type"),
    orWord(listAt(object, "spec", "clusterIPs").map(String)[0] ?? "", "<none>"),
    externalAddress(object),
    orWord(ports.join(","), "<none>"),
    age(object, nowMs),
    labelText(object, "spec", "selector"),
  ];
}

function externalAddress(service: unknown): string {
  const addresses = listAt(service, "spec", "externalIPs").map(String);
  switch (textAt(service, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return orWord(addresses.join(","), "<none>");
    case "LoadBalancer":
      return orWord([...balancerAddresses(service), ...addresses].join(","), "<pending>");
    case "ExternalName":
      return textAt(service, "spec", "externalName");
    default:
      return "<unknown>";
  }
}

function balancerAddresses(object: unknown): string[] {
  const entries = listAt(object, "status", "loadBalancer", "ingress");
  const addresses = entries.map((entry) => orWord(textAt(entry, "ip"), textAt(entry, "hostname")));
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted();
}

/** The cells of an ingress. */
export function ingressCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    setOr(object, ["spec", "ingressClassName"], "<none>"),
    hostsOf(object),
    balancerAddresses(object).join(","),
    listAt(object, "spec", "tls").length > 0 ? "80, 443" : "80",
    age(object, nowMs),
  ];
}

function hostsOf(ingress: unknown): string {
  const rules = listAt(ingress, "spec", "rules");
  const hosts: string[] = [];
  let isMore = false;
  for (const rule of rules) {
    if (hosts.length === 3) isMore = true;
    const host = textAt(rule, "host");
    if (!isMore && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return isMore ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

/** The cells of an ingress class. */
export function ingressClassCells(object: unknown, nowMs: number): unknown[] {
  const isDefault = textAt(object, "metadata", "annotations", "ingressclass.kubernetes.io/is-default-class") === "true";
  const parameters = valueAt(object, "spec", "parameters");
  const group = isSet(parameters, "apiGroup") ? `.${textAt(parameters, "apiGroup")}` : "";
  return [
    `${nameOf(object)}${isDefault ? " (default)" : ""}`,
    textAt(object, "spec", "controller"),
    isSet(parameters) ? `${textAt(parameters, "kind")}${group}/${textAt(parameters, "name")}` : "<none>",
    age(object, nowMs),
  ];
}

/** The cells of a network policy. */
export function networkPolicyCells(object: unknown, nowMs: number): unknown[] {
  const words = { none: "<none>", invalid: "<error>" };
  return [nameOf(object), selectorText(object, words, "spec", "podSelector"), age(object, nowMs)];
}

/** The cells of an Endpoints object. */
export function endpointsCells(object: unknown, nowMs: number): unknown[] {
  const subsets = listAt(object, "subsets");
  const addresses = subsets.flatMap((subset) => {
    const hosts = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports").map((port) => numberAt(port, "port"));
    return ports.length === 0 ? hosts : ports.flatMap((port) => hosts.map((host) => withPort(host, port)));
  });
  return [nameOf(object), subsets.length === 0 ? "<none>" : someOf(addresses, 3), age(object, nowMs)];
}

function withPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The cells of an endpoint slice. */
export function endpointSliceCells(object: unknown, nowMs: number): unknown[] {
  const ports = listAt(object, "ports").map((port) =>
    isSet(port, "port") ? String(numberAt(port, "port")) : setOr(port, ["name"], "*"),
  );
  const addresses = listAt(object, "endpoints").flatMap((endpoint) => listAt(endpoint, "addresses").map(String));
  return [
    nameOf(object),
    textAt(object, "addressType"),
    orWord(someOf(ports, 3), "<unset>"),
    orWord(someOf(addresses, 3), "<unset>"),
    age(object, nowMs),
  ];
}

/** The cells of a ServiceCIDR. */
export function serviceCidrCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), listAt(object, "spec", "cidrs").join(","), age(object, nowMs)];
}

/** The cells of an IPAddress. */
export function ipAddressCells(object: unknown, nowMs: number): unknown[] {
  const parent = valueAt(object, "spec", "parentRef");
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  const parts = [resource, textAt(parent, "namespace"), textAt(parent, "name")].filter((part) => part !== "");
  return [nameOf(object), isSet(parent) ? parts.join("/") : "<none>", age(object, nowMs)];
}

/** How many entries a map has. */
export function countOf(object: unknown, ...path: readonly string[]): number {
  return entriesAt(object, ...path).length;
}
