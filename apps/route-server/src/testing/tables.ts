// Tables for tests.

import type { RouteTable } from "@homeostat/routing";

export function tableOf(key: string, change: Partial<RouteTable> = {}): RouteTable {
  const [namespace = "", service = ""] = key.split("/");
  return {
    namespace,
    service,
    version: "v1",
    interception: "Takeover",
    ports: [{ port: 80, baselineTarget: `${service}.${namespace}.svc:80` }],
    entries: [
      {
        routingKey: "key-1",
        sandbox: "pr-1",
        workload: service,
        source: "Sandbox",
        ports: [{ port: 80, targetService: `pr-1-${service}`, targetPort: 80, addresses: ["10.0.0.1:8080"] }],
      },
    ],
    ...change,
  };
}
