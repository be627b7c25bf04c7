// Decides about requests with the route table of one Service, and explains a decision.
//
// Prints:
//   entry 10.0.4.12:8080
//   sandbox=pr-42; workload=cart
//   forwarded with baggage user=7,routing-key=k3v9q2m7x1c4d
//   Value "k3v9q2m7x1c4d" of header x-routing-key is the key
//   Key k3v9q2m7x1c4d has one route for this port
//   Passed over: workload cart of sandbox pr-42 requires another path

import { systemRandom } from "@homeostat/core";
import {
  compileTable,
  decide,
  explain,
  headerSource,
  KeyReader,
  parseTable,
  planForwarding,
  routeHeader,
} from "@homeostat/routing";

// region: table
const { table, problems } = parseTable({
  namespace: "shop",
  service: "cart",
  version: "9f2c61d0",
  ports: [{ port: 80, listen: 21007, baselineTarget: "cart--base.shop.svc:80" }],
  entries: [
    {
      routingKey: "k3v9q2m7x1c4d",
      sandbox: "pr-42",
      workload: "cart",
      source: "Sandbox",
      match: { paths: [{ prefix: "/api/cart" }] },
      ports: [{ port: 80, targetService: "pr-42-cart-1a2b3c4d", targetPort: 80, addresses: ["10.0.4.12:8080"] }],
    },
  ],
});
// endregion
if (table === undefined) throw new Error(JSON.stringify(problems));

// region: decide
const keys = new KeyReader({ role: "takeover" });
const port = compileTable(table).ports.get(80);
if (port === undefined) throw new Error("port 80 is not in the table");

const headers = headerSource([
  ["X-Routing-Key", "k3v9q2m7x1c4d"],
  ["Baggage", "user=7"],
]);
const request = { method: "GET", path: "/api/cart/1", headers };
const decision = decide(port, request, { keys, random: systemRandom });
if (decision.type === "entry") console.log(decision.type, decision.targets.join());
console.log(routeHeader(decision, keys.settings));
// endregion

const plan = planForwarding({ keys, request, decision, scheme: "http" });
if (plan.type === "forward") console.log(`forwarded with baggage ${new Map(plan.set).get("baggage")}`);

const { steps } = explain({ table, port: 80, request: { ...request, path: "/orders" }, keys, random: systemRandom });
for (const { text } of steps.slice(1)) console.log(text);
