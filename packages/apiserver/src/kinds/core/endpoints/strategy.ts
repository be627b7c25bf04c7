import { listAt, numberAt, textAt } from "../../../values/fields.ts";
import { age, nameOf, firstTexts } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** Endpoints, deprecated in favour of EndpointSlices. */
export const endpointsStrategy: KindStrategy = {
  group: "",
  plural: "endpoints",
  allowsCreateOnUpdate: true,
  registryPath: "services/endpoints",
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  defaults: { "core.v1.EndpointPort": { values: { protocol: "TCP" } } },
  table: { cells: endpointsCells },
};

function endpointsCells(object: unknown, nowMs: number): unknown[] {
  const subsets = listAt(object, "subsets");
  const addresses = subsets.flatMap((subset) => {
    const hosts = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports").map((port) => numberAt(port, "port"));
    return ports.length === 0 ? hosts : ports.flatMap((port) => hosts.map((host) => withPort(host, port)));
  });
  return [nameOf(object), subsets.length === 0 ? "<none>" : firstTexts(addresses, 3), age(object, nowMs)];
}

function withPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
