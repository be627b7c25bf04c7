// Forwards requests to a baseline, and those with a routing key to a sandbox.
//
// Prints:
//   without a key: baseline
//   with the key: sandbox (sandbox=pr-42; workload=cart)

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { systemClock, systemRandom } from "@homeostat/core";
import {
  connectTcp,
  defaultLimits,
  Holds,
  Http1Engine,
  Listeners,
  RouteTables,
  TableRouter,
  TwoChoiceBalancer,
} from "@homeostat/proxy";
import { compileTable, KeyReader } from "@homeostat/routing";

async function startServer(text: string): Promise<{ server: Server; address: string }> {
  const server = createServer((_, response) => response.end(text)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server does not listen on a port");
  return { server, address: `127.0.0.1:${bound.port}` };
}

const baseline = await startServer("baseline");
const sandbox = await startServer("sandbox");
const listen = 21_007;
const table = compileTable({
  namespace: "shop",
  service: "cart",
  version: "1",
  ports: [{ port: 80, listen, baselineTarget: baseline.address }],
  entries: [
    {
      routingKey: "k3v9q2m7x1c4d",
      sandbox: "pr-42",
      workload: "cart",
      source: "Sandbox",
      ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses: [sandbox.address] }],
    },
  ],
});

// region: start
const clock = systemClock;
const random = systemRandom;
const limits = defaultLimits;
const observer = { requestEnded: () => undefined, failed: (reason: string) => console.error(reason) };
const balancer = new TwoChoiceBalancer({ clock, random, limits });
const engine = new Http1Engine({ balancer, clock, limits, observer });
const holds = new Holds({ clock, limits });
const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random });
tables.onChange(({ addresses }) => {
  engine.retain(addresses);
  balancer.retain(addresses);
  holds.retryAll();
});
tables.swap({ tables: [table] });

const router = new TableRouter({ tables, listen, holds });
const { deadlines } = engine;
const listeners = new Listeners({ http1: engine, deadlines, limits, observer, connect: connectTcp, host: "127.0.0.1" });
const { port } = await listeners.open({ port: 0, router, baseline: () => router.baseline });
// endregion

const plain = await fetch(`http://127.0.0.1:${port}/`);
console.log("without a key:", await plain.text());
const keyed = await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-routing-key": "k3v9q2m7x1c4d" } });
console.log("with the key:", await keyed.text(), `(${keyed.headers.get("x-sandbox-route")})`);

listeners.close();
for (const { server } of [baseline, sandbox]) {
  server.close();
  server.closeAllConnections();
}
