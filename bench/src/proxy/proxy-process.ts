// The routing proxy in a process of its own. Usage: node proxy-process.js PORT UPSTREAM_PORT KEYS
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

const [port = 0, upstreamPort = 0, keyCount = 1] = process.argv.slice(2).map(Number);
const address = `127.0.0.1:${upstreamPort}`;
const table = compileTable({
  namespace: "shop",
  service: "cart",
  version: "1",
  ports: [{ port: 80, listen: port, baselineTarget: address }],
  entries: Array.from({ length: keyCount }, (_, n) => ({
    routingKey: `key-${String(n).padStart(8, "0")}`,
    sandbox: `pr-${n}`,
    workload: "cart",
    source: "Sandbox" as const,
    ports: [{ port: 80, targetService: `pr-${n}-cart`, targetPort: 80, addresses: [address] }],
  })),
});
const clock = systemClock;
const limits = defaultLimits;
const counts = { requests: 0, failures: 0 };
const observer = {
  requestEnded: () => void (counts.requests += 1),
  failed: () => void (counts.failures += 1),
};
const balancer = new TwoChoiceBalancer({ clock, random: systemRandom, limits });
const engine = new Http1Engine({ balancer, clock, limits, observer });
const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random: systemRandom });
tables.swap({ tables: [table] });
const router = new TableRouter({ tables, listen: port, holds: new Holds({ clock, limits }) });
const { deadlines } = engine;
const listeners = new Listeners({ http1: engine, deadlines, limits, observer, connect: connectTcp, host: "127.0.0.1" });
await listeners.open({ port, router, baseline: () => router.baseline });
console.log("ready");
