// The program of apps/proxy in front of two servers: the baseline, and the fork of one routing key.

import { freePorts } from "@homeostat/operator-testing";
import type { RouteTable } from "@homeostat/routing";
import { type RoutingProxyOptions, type RoutingProxyProcess, startRoutingProxy } from "../../harness/routing-proxy.ts";

/** Routing key of the fork. */
export const key = "k3v9q2m7x1c4d";

/** A proxy in front of a baseline and a fork. */
export interface Stage extends AsyncDisposable {
  readonly port: number;
  readonly proxy: RoutingProxyProcess;
}

/** Starts a proxy whose requests go to two addresses: those with the key to the fork. */
export async function startStage(
  { baseline, fork }: { readonly baseline: string; readonly fork: string },
  engine: "fast" | "safe" = "fast",
  options: Pick<RoutingProxyOptions, "limits" | "raisesFileLimit"> = {},
): Promise<Stage> {
  const [port = 0] = await freePorts(1);
  const table: RouteTable = {
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [{ port: 80, name: "http", listen: port, baselineTarget: baseline }],
    entries: [
      {
        routingKey: key,
        sandbox: "pr-42",
        workload: "cart",
        source: "Sandbox",
        ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses: [fork] }],
      },
    ],
  };
  const proxy = await startRoutingProxy({ tables: [table], engine, ...options });
  return { port, proxy, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}
