// Random tables with routes whose conditions overlap, and random requests for them.

import { SeededRandom as Random } from "@homeostat/core";
import type { SeededRandom } from "@homeostat/fuzz";
import {
  compileTable,
  decide,
  type EntryMatch,
  headerSource,
  KeyReader,
  type PathMatch,
  type RouteEntry,
  type RouteTable,
} from "@homeostat/routing";
import type { CaseRequest } from "@homeostat/routing/equivalence";

const paths: readonly PathMatch[] = [
  { prefix: "/" },
  { prefix: "/api" },
  { prefix: "/api/cart" },
  { exact: "/api/cart" },
  { exact: "/" },
  { prefix: "/other/" },
];
const requestPaths = ["/", "/api", "/api/", "/api/cart", "/api/cart/1", "/apis", "/other/x", "/api?beta=1"];
const methods = ["GET", "POST", "PUT"];
const headers = [
  { name: "x-team", value: "blue" },
  { name: "x-team", value: "red" },
  { name: "X-Beta", value: "1" },
];
const keys = ["key-a", "key-b"];

/** Returns conditions that overlap often with others. */
export function randomMatch(random: SeededRandom): EntryMatch {
  const some = <T>(items: readonly T[], chance: number): readonly T[] =>
    random.int(chance) === 0 ? Array.from({ length: 1 + random.int(2) }, () => random.pick(items)) : [];
  const byName = new Map(some(headers, 2).map((header) => [header.name.toLowerCase(), header]));
  return {
    paths: [...new Set(some(paths, 2))],
    methods: [...new Set(some(methods, 3))],
    headers: [...byName.values()],
  };
}

/** Returns a table with up to four routes per key. Every route targets another Service. */
export function randomTable(random: SeededRandom): RouteTable {
  const entries = keys.flatMap((routingKey) =>
    Array.from({ length: 1 + random.int(4) }, (_, i): RouteEntry => ({
      routingKey,
      sandbox: `${routingKey}-${i}`,
      workload: "cart",
      source: "Explicit",
      match: randomMatch(random),
      percent: random.pick([100, 100, 100, 0]),
      mode: random.pick(["Fork", "Fork", "Fork", "Virtual"] as const),
      onUnavailable: random.pick(["Fail", "Baseline"] as const),
      ports: [
        {
          port: 80,
          targetService: `${routingKey}-${i}`,
          targetPort: 80,
          ...(random.int(5) === 0 ? { addresses: [] } : {}),
        },
      ],
    })),
  );
  const ports = [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }];
  return { namespace: "shop", service: "cart", version: "v", interception: "Mesh", ports, entries };
}

/** Returns a request with at most one key. */
export function randomRequest(random: SeededRandom): CaseRequest {
  const key = random.pick(keys);
  const carriers: readonly (readonly [string, string])[] = [
    ["x-routing-key", key],
    ["baggage", `a=1,routing-key=${key}`],
    ["uberctx-routing-key", key],
  ];
  const fields: (readonly [string, string])[] = random.int(6) === 0 ? [] : [random.pick(carriers)];
  if (random.int(2) === 0) fields.push(["x-team", random.pick(["blue", "red"])]);
  if (random.int(2) === 0) fields.push(["x-beta", "1"]);
  return { method: random.pick(methods), path: random.pick(requestPaths), headers: fields };
}

/** Returns the destination that the proxy chooses: `<service>:<port>`, with the word Fail if the workload has no ready target. */
export function decidedDestination(table: RouteTable, request: CaseRequest): string {
  const port = compileTable(table).ports.get(80);
  if (port === undefined) throw new Error("the table has no port 80");
  const decision = decide(
    port,
    { ...request, headers: headerSource(request.headers) },
    { keys: new KeyReader({ role: "takeover" }), random: new Random(1) },
  );
  if (decision.type === "baseline" || decision.route.entry.mode === "Virtual") return `${table.service}:80`;
  const service = decision.route.entry.ports[0]?.targetService ?? "";
  return decision.type === "unavailable" ? `Fail ${service}:80` : `${service}:80`;
}
