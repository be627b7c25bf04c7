import type { RouteEntry, RouteTable } from "@homeostat/routing";

/** Returns a table of Service cart with one route. */
export function cartTable({ version = "v1", listen = 21_000, ...entry }: CartOptions = {}): RouteTable {
  return {
    namespace: "shop",
    service: "cart",
    version,
    ports: [{ port: 80, name: "http", listen, baselineTarget: "127.0.0.1:1" }],
    entries: [
      {
        routingKey: "k3v9q2m7x1c4d",
        sandbox: "pr-42",
        workload: "cart",
        source: "Sandbox",
        ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses: ["127.0.0.1:2"] }],
        ...entry,
      },
    ],
  };
}

/** Returns a table as sidecars receive it: without listening ports, and with the target port of the application. */
export function sidecarTable(table: RouteTable, targetPort = "http"): RouteTable {
  const ports = table.ports.map((port) => {
    const { listen: _listen, ...own } = port;
    return { ...own, targetPort };
  });
  return { ...table, interception: "Sidecar", ports };
}

export interface CartOptions extends Partial<RouteEntry> {
  readonly version?: string;
  readonly listen?: number;
}
