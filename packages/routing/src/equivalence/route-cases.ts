import type { EntryMatch, RouteEntry } from "../table/route-table.ts";
import { type EquivalenceCase, type ExpectedOutcome, httpPort, tableOf } from "./case.ts";
import {
  condition,
  explicit,
  groupKey,
  grouped,
  makeCase,
  noEntry,
  percent,
  pr42,
  pr42Key,
  pr7,
  pr7Key,
  routedCase,
  toPr42,
  toPr7,
} from "./sample-routes.ts";

const byGroup = { request: { headers: [["x-routing-key", groupKey] as const] } };
const cartOnly: EntryMatch = { paths: [{ prefix: "/api/cart" }] };

/** Several routes for the key of a RouteGroup. */
function groupCase(
  name: string,
  entries: readonly RouteEntry[],
  path: string,
  expected: ExpectedOutcome,
): EquivalenceCase {
  const request = { ...byGroup.request, path };
  return makeCase(name, ["explicit-header", "several-routes", "path"], { table: tableOf(entries), request }, expected);
}

const conditional: RouteEntry = { ...explicit, match: cartOnly };

const order: readonly EquivalenceCase[] = [
  groupCase("an explicit route comes before a matched one", [explicit, grouped], "/", toPr7),
  groupCase("an explicit route comes first in any order of the table", [grouped, explicit], "/", toPr7),
  groupCase("an explicit route whose condition is met", [conditional, grouped], "/api/cart", toPr7),
  groupCase("an explicit route whose condition is not met", [conditional, grouped], "/orders", toPr42),
  groupCase("an explicit route alone, condition not met", [conditional], "/orders", condition),
  groupCase(
    "the first of two explicit routes that both match",
    [conditional, { ...explicit, sandbox: "pr-42", ports: pr42.ports }],
    "/api/cart",
    toPr7,
  ),
  groupCase(
    "the second of two explicit routes, the first does not match",
    [conditional, { ...explicit, sandbox: "pr-42", ports: pr42.ports }],
    "/orders",
    toPr42,
  ),
  groupCase(
    "two explicit routes, neither matches",
    [conditional, { ...explicit, match: { paths: [{ exact: "/health" }] } }],
    "/orders",
    condition,
  ),
  groupCase(
    "0 percent of an explicit route go to the baseline, not to the next route",
    [{ ...explicit, percent: 0 }, grouped],
    "/",
    percent,
  ),
  groupCase(
    "0 percent of an explicit route that does not match",
    [{ ...conditional, percent: 0 }, grouped],
    "/orders",
    toPr42,
  ),
];

/** Trace IDs with the parts 911 and 9378 of 10000. */
const lowTrace = ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"] as const;
const highTrace = ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"] as const;

const splits: readonly EquivalenceCase[] = [
  routedCase("100 percent", ["percent-bounds"], [{ percent: 100 }], {}, toPr42),
  routedCase("100 percent with a trace", ["percent-bounds"], [{ percent: 100 }], { headers: [highTrace] }, toPr42),
  routedCase("0 percent", ["percent-bounds"], [{ percent: 0 }], {}, percent),
  routedCase("0 percent with a trace", ["percent-bounds"], [{ percent: 0 }], { headers: [lowTrace] }, percent),
  routedCase(
    "0 percent, condition not met",
    ["percent-bounds", "path"],
    [{ percent: 0, match: cartOnly }],
    { path: "/orders" },
    condition,
  ),
  routedCase(
    "100 percent, condition not met",
    ["percent-bounds", "path"],
    [{ percent: 100, match: cartOnly }],
    { path: "/orders" },
    condition,
  ),
  routedCase("50 percent, trace inside", ["sticky-percent"], [{ percent: 50 }], { headers: [lowTrace] }, toPr42),
  routedCase("50 percent, trace outside", ["sticky-percent"], [{ percent: 50 }], { headers: [highTrace] }, percent),
  routedCase("10 percent, trace inside", ["sticky-percent"], [{ percent: 10 }], { headers: [lowTrace] }, toPr42),
  routedCase(
    "9 percent, the same trace outside",
    ["sticky-percent"],
    [{ percent: 9 }],
    { headers: [lowTrace] },
    percent,
  ),
  routedCase("94 percent, trace inside", ["sticky-percent"], [{ percent: 94 }], { headers: [highTrace] }, toPr42),
  routedCase(
    "93 percent, the same trace outside",
    ["sticky-percent"],
    [{ percent: 93 }],
    { headers: [highTrace] },
    percent,
  ),
  routedCase(
    "28 percent, client inside",
    ["sticky-percent"],
    [{ percent: 28, stickyBy: "ClientIP" }],
    { clientAddress: "10.0.3.7" },
    toPr42,
  ),
  routedCase(
    "28 percent, IPv4 client of a dual-stack socket inside",
    ["sticky-percent"],
    [{ percent: 28, stickyBy: "ClientIP" }],
    { clientAddress: "::ffff:10.0.3.7" },
    toPr42,
  ),
  routedCase(
    "27 percent, client outside",
    ["sticky-percent"],
    [{ percent: 27, stickyBy: "ClientIP" }],
    { clientAddress: "10.0.3.7" },
    percent,
  ),
  routedCase(
    "12 percent, header inside",
    ["sticky-percent"],
    [{ percent: 12, stickyBy: "Header", stickyHeader: "X-User" }],
    { headers: [["x-user", "user-2"]] },
    toPr42,
  ),
  routedCase(
    "11 percent, header outside",
    ["sticky-percent"],
    [{ percent: 11, stickyBy: "Header", stickyHeader: "X-User" }],
    { headers: [["x-user", "user-2"]] },
    percent,
  ),
  routedCase(
    "60 percent, default header inside",
    ["sticky-percent"],
    [{ percent: 60, stickyBy: "Header" }],
    { headers: [["x-sticky-key", "user-1"]] },
    toPr42,
  ),
];

/** Returns the entry of pr-42 with other targets. */
function targets(addresses: readonly string[] | undefined): Partial<RouteEntry> {
  return { ports: [{ port: 80, targetService: "pr-42-cart-1a2b3c4d", targetPort: 80, addresses }] };
}

const none = targets([]);
const workload = { sandbox: "pr-42", workload: "cart" };
const failing: ExpectedOutcome = { type: "unavailable", action: "Fail", ...workload };
const holding: ExpectedOutcome = { type: "unavailable", action: "Hold", ...workload };
const fallback: ExpectedOutcome = { type: "baseline", reason: "unavailable" };

const availability: readonly EquivalenceCase[] = [
  routedCase("no ready target, Fail", ["fail"], [{ ...none, onUnavailable: "Fail" }], {}, failing),
  routedCase("no ready target, default", ["fail"], [{ ...none, onUnavailable: undefined }], {}, failing),
  routedCase("no ready target, Baseline", ["fallback"], [{ ...none, onUnavailable: "Baseline" }], {}, fallback),
  routedCase("no ready target, Hold", ["hold"], [{ ...none, onUnavailable: "Hold" }], {}, holding),
  routedCase("no ready target, Fail after a wait", ["hold"], [{ ...none, holdSeconds: 5 }], {}, holding),
  routedCase(
    "no ready target, Hold for no time",
    ["fail"],
    [{ ...none, onUnavailable: "Hold", holdSeconds: 0 }],
    {},
    failing,
  ),
  routedCase(
    "no ready target, condition not met",
    ["fail", "path"],
    [{ ...none, match: cartOnly }],
    { path: "/orders" },
    condition,
  ),
  routedCase("no ready target, 0 percent", ["fail", "percent-bounds"], [{ ...none, percent: 0 }], {}, percent),
  routedCase(
    "no ready target of the first route, the second is not tried",
    ["fail", "several-routes"],
    [{ ...none }, {}],
    {},
    failing,
  ),
  routedCase(
    "several targets",
    [],
    [targets(["10.0.4.12:8080", "10.0.4.14:8080"])],
    {},
    { type: "entry", ...workload, targets: ["10.0.4.12:8080", "10.0.4.14:8080"] },
  ),
  routedCase(
    "unknown endpoints: the Service",
    ["service-target"],
    [targets(undefined)],
    {},
    { type: "entry", ...workload, targets: ["pr-42-cart-1a2b3c4d.shop.svc:80"] },
  ),
  routedCase(
    "virtual workload: the baseline",
    ["virtual"],
    [{ mode: "Virtual", ports: [] }],
    {},
    { type: "entry", ...workload, targets: ["cart--base.shop.svc:80"] },
  ),
];

const grpcPort = {
  port: 9000,
  name: "grpc",
  appProtocol: "grpc",
  listen: 21_008,
  baselineTarget: "cart--base.shop.svc:9000",
};
const twoPorts = tableOf(
  [
    pr42,
    {
      ...pr7,
      ports: [
        ...pr7.ports,
        { port: 9000, targetService: "pr-7-cart-5e6f7a8b", targetPort: 9000, addresses: ["10.0.4.13:9000"] },
      ],
    },
  ],
  [httpPort, grpcPort],
);

function portCase(name: string, port: number, key: string, expected: ExpectedOutcome): EquivalenceCase {
  const request = { headers: [["x-routing-key", key] as const] };
  return makeCase(name, ["explicit-header", "several-ports"], { table: twoPorts, port, request }, expected);
}

const ports: readonly EquivalenceCase[] = [
  portCase("first port of two", 80, pr42Key, toPr42),
  portCase("first port, workload with both", 80, pr7Key, toPr7),
  portCase("second port, workload with both", 9000, pr7Key, {
    type: "entry",
    sandbox: "pr-7",
    workload: "cart",
    targets: ["10.0.4.13:9000"],
  }),
  portCase("second port, workload without it", 9000, pr42Key, noEntry),
  makeCase(
    "table without entries",
    ["explicit-header"],
    { table: tableOf([]), request: { headers: [["x-routing-key", pr42Key]] } },
    { type: "baseline", reason: "unknown-key" },
  ),
];

const probed: ExpectedOutcome = { type: "baseline", reason: "probe" };
const probes: readonly EquivalenceCase[] = [
  routedCase(
    "probe of the kubelet with a key",
    ["probe"],
    [{}],
    { headers: [["user-agent", "kube-probe/1.36"]] },
    probed,
  ),
  routedCase("request from the node with a key", ["probe"], [{}], { isFromNode: true }, probed),
  routedCase(
    "user agent that only contains the name",
    [],
    [{}],
    { headers: [["user-agent", "my-kube-probe/1"]] },
    toPr42,
  ),
  makeCase(
    "probe of the kubelet without a key",
    [],
    { request: { headers: [["user-agent", "kube-probe/1.36"]] } },
    { type: "baseline", reason: "no-key" },
  ),
];

/** Cases about several routes, splits, targets, ports and probes. */
export const routeCases: readonly EquivalenceCase[] = [...order, ...splits, ...availability, ...ports, ...probes];
