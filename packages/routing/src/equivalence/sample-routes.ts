import { defaultRoutingSettings } from "../settings/routing-settings.ts";
import type { RouteEntry, RouteTable } from "../table/route-table.ts";
import { type CaseRequest, type EquivalenceCase, type ExpectedOutcome, type Feature, tableOf } from "./case.ts";

/** Keys of the samples: two sandboxes, a RouteGroup, and one that no table has. */
export const pr42Key = "k3v9q2m7x1c4d";
export const pr7Key = "m5p8r2s6t9v1w";
export const groupKey = "g7h2t5n8w0z3b";
export const unknownKey = "u1n2k3n4o5w6n";

/** Workload `cart` of sandbox `pr-42`, found by the key of the sandbox. */
export const pr42: RouteEntry = {
  routingKey: pr42Key,
  sandbox: "pr-42",
  workload: "cart",
  source: "Sandbox",
  onUnavailable: "Fail",
  ports: [{ port: 80, targetService: "pr-42-cart-1a2b3c4d", targetPort: 80, addresses: ["10.0.4.12:8080"] }],
};

/** Workload `cart` of sandbox `pr-7`. */
export const pr7: RouteEntry = {
  ...pr42,
  routingKey: pr7Key,
  sandbox: "pr-7",
  ports: [{ port: 80, targetService: "pr-7-cart-5e6f7a8b", targetPort: 80, addresses: ["10.0.4.13:8080"] }],
};

/** Workload `cart` of sandbox `pr-42`, found by the key of a RouteGroup. */
export const grouped: RouteEntry = {
  ...pr42,
  routingKey: groupKey,
  source: "RouteGroup",
  routeGroup: "checkout-v2",
};

/** Explicit route of the same RouteGroup to sandbox `pr-7`. */
export const explicit: RouteEntry = { ...pr7, routingKey: groupKey, source: "Explicit", routeGroup: "checkout-v2" };

/** Table with all three keys. */
export const sampleTable: RouteTable = tableOf([grouped, pr42, pr7]);

/** Outcomes of the sample routes. */
export const toPr42: ExpectedOutcome = {
  type: "entry",
  sandbox: "pr-42",
  workload: "cart",
  targets: ["10.0.4.12:8080"],
};
export const toPr7: ExpectedOutcome = { type: "entry", sandbox: "pr-7", workload: "cart", targets: ["10.0.4.13:8080"] };
export const noKey: ExpectedOutcome = { type: "baseline", reason: "no-key" };
export const unknown: ExpectedOutcome = { type: "baseline", reason: "unknown-key" };
export const noEntry: ExpectedOutcome = { type: "baseline", reason: "no-entry" };
export const condition: ExpectedOutcome = { type: "baseline", reason: "condition" };
export const percent: ExpectedOutcome = { type: "baseline", reason: "percent" };

/** Parts of a case that differ from the usual one: `GET /` to port 80 of the sample table through the proxy before the Service. */
export type CaseParts = Omit<Partial<EquivalenceCase>, "name" | "features" | "request" | "expected"> & {
  readonly request?: Partial<CaseRequest>;
};

/** Builds a case. */
export function makeCase(
  name: string,
  features: readonly Feature[],
  { request, ...parts }: CaseParts,
  expected: ExpectedOutcome,
): EquivalenceCase {
  return {
    name,
    features,
    table: sampleTable,
    port: 80,
    role: "takeover",
    settings: defaultRoutingSettings,
    otherKeys: [],
    request: { method: "GET", path: "/", headers: [], ...request },
    expected,
    counted: expected.type === "baseline" && expected.reason === "unknown-key" ? ["unknown_key"] : [],
    ...parts,
  };
}

/** Builds a case with the key of `pr-42` in `x-routing-key`, and routes for this key. */
export function routedCase(
  name: string,
  features: readonly Feature[],
  routes: readonly Partial<RouteEntry>[],
  request: Partial<CaseRequest>,
  expected: ExpectedOutcome,
): EquivalenceCase {
  const headers = [["x-routing-key", pr42Key] as const, ...(request.headers ?? [])];
  const table = tableOf(routes.map((route) => ({ ...pr42, ...route })));
  const isUnavailable = expected.type === "unavailable" || ("reason" in expected && expected.reason === "unavailable");
  const counted = isUnavailable ? { counted: ["unavailable"] as const } : {};
  return makeCase(
    name,
    ["explicit-header", ...features],
    { table, request: { ...request, headers }, ...counted },
    expected,
  );
}
