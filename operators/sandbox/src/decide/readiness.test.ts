import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { PodProblem } from "@homeostat/runtime";
import { RouteTable, type CachedRouteTable, type RouteTableStatus } from "../api/route-table.ts";
import { tableStatus } from "../status/table-status.ts";
import { decideForkState } from "./entry-state.ts";
import { decideProgrammed, type RoutesInput } from "./programmed.ts";

function fork({ ready = 0, reason = "ReplicaSetUpdated", status = "True", observed = 1 } = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", generation: 1 },
    spec: { replicas: 1, progressDeadlineSeconds: 180, selector: {}, template: {} },
    status: {
      observedGeneration: observed,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: ready,
      conditions: [{ type: "Progressing", status, reason }],
    },
  };
}

const crash: PodProblem = {
  reason: "CrashLoop",
  sentence: "Container app crashes",
  isBlocking: true,
  pod: "a",
  container: "app",
  detail: "",
};

describe("decideForkState", () => {
  it("is Pending without a fork, Ready with all pods, Idle without replicas", () => {
    assert.equal(decideForkState({ fork: undefined, replicas: 1, problems: [] }).state, "Pending");
    assert.equal(decideForkState({ fork: fork({ ready: 1 }), replicas: 1, problems: [] }).state, "Ready");
    const asleep = { ...fork(), status: { observedGeneration: 1, replicas: 0 } };
    assert.equal(decideForkState({ fork: asleep, replicas: 0, problems: [] }).state, "Idle");
  });

  it("is Progressing with the reason of the kubelet until the deadline, then Failed", () => {
    const waiting = decideForkState({ fork: fork(), replicas: 1, problems: [crash] });
    assert.deepEqual([waiting.state, waiting.message], ["Progressing", "Container app crashes"]);
    const late = fork({ reason: "ProgressDeadlineExceeded", status: "False" });

    const failed = decideForkState({ fork: late, replicas: 1, problems: [crash] });

    assert.deepEqual(
      [failed.state, failed.message],
      ["Failed", "The fork did not become ready in 180 s: Container app crashes"],
    );
  });

  it("ignores an exceeded deadline of a former template", () => {
    const late = fork({ reason: "ProgressDeadlineExceeded", status: "False", observed: 0 });

    assert.equal(decideForkState({ fork: late, replicas: 1, problems: [] }).state, "Progressing");
  });

  it("is Failed if it was ready before and its containers keep crashing", () => {
    const before = fork({ reason: "NewReplicaSetAvailable" });

    assert.equal(decideForkState({ fork: before, replicas: 1, problems: [crash] }).state, "Failed");
    assert.equal(decideForkState({ fork: before, replicas: 1, problems: [] }).state, "Progressing");
  });
});

function conditions(
  values: Readonly<
    Record<
      string,
      | {
          readonly status: boolean | "True" | "False" | "Unknown";
          readonly reason: string;
          readonly message?: string | undefined;
        }
      | undefined
    >
  >,
) {
  return Object.entries(values).map(([type, value]) => ({
    type,
    status: value?.status === true ? ("True" as const) : ("False" as const),
    reason: value?.reason ?? "",
    message: value?.message ?? "",
    observedGeneration: 1,
    lastTransitionTime: "2026-01-01T00:00:00Z",
  }));
}

/** Returns a table whose status is that of the controller for these counts of proxies. */
function table(
  interception: "None" | "Takeover" | "Mesh",
  proxies?: { total: number; synced: number },
  replicas: RouteTableStatus["replicas"] = proxies && [{ name: "a", version: "v1", ...proxies }],
  takenOver: "TakenOver" | "NotEligible" | "TakeoverRestored" = "TakenOver",
): CachedRouteTable {
  const bare = RouteTable.default({
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "RouteTable",
    metadata: { name: "cart", namespace: "shop", generation: 1 },
    spec: { service: "cart", ports: [], entries: [], interception, version: "v1" },
  });
  const isTakenOver = takenOver === "TakenOver";
  const takeover = conditions({ TakenOver: { status: isTakenOver, reason: takenOver, message: `It is ${takenOver}` } });
  const counted = RouteTable.parse({
    ...bare,
    status: { ...bare.status, ...(replicas && { replicas }), conditions: takeover },
  });
  const { conditions: changes, fields } = tableStatus(counted);
  const list = conditions({
    TakenOver: { status: isTakenOver, reason: takenOver, message: `It is ${takenOver}` },
    ...changes,
  });
  return RouteTable.parse({ ...counted, status: { ...counted.status, ...fields, conditions: list } });
}

describe("decideProgrammed", () => {
  const routes = (one: CachedRouteTable | undefined, change: Partial<RoutesInput> = {}) =>
    decideProgrammed({
      ownsKey: true,
      services: ["shop/cart"],
      refusedServices: [],
      table: () => one,
      compiledVersion: () => "v1",
      ...change,
    });

  it("is programmed once all proxies have confirmed, or if none intercepts requests", () => {
    assert.equal(routes(table("None")).state, "programmed");
    assert.equal(routes(table("Takeover", { total: 2, synced: 2 })).state, "programmed");
  });

  it("waits for the table, its version and its proxies", () => {
    assert.match(routes(undefined).message, /is being published/);
    assert.match(routes(table("None"), { compiledVersion: () => "v2" }).message, /is being published/);
    assert.match(routes(table("None"), { services: [], uncompiledServices: ["shop/cart"] }).message, /being published/);
    const waiting = routes(table("Takeover", { total: 2, synced: 1 }));
    assert.deepEqual(
      [waiting.state, waiting.reason, waiting.synced, waiting.total],
      ["waiting", "WaitingForProxies", 1, 2],
    );
    assert.equal(routes(table("Takeover")).reason, "WaitingForProxies");
  });

  it("keeps routes in force that were confirmed in an older version, while the table changes for others", () => {
    const confirmedVersion = () => "v0";
    const changing = table("Takeover", { total: 2, synced: 2 });
    const unconfirmed = table("Takeover", { total: 2, synced: 1 });
    assert.equal(routes(changing, { compiledVersion: () => "v2", confirmedVersion }).state, "programmed");
    assert.equal(routes(unconfirmed, { confirmedVersion }).state, "programmed");
    assert.deepEqual(routes(unconfirmed, { confirmedVersion }).confirmed, []);
    assert.deepEqual(routes(changing).confirmed, ["shop/cart"]);
    assert.equal(
      routes(unconfirmed, { confirmedVersion: () => "v1" }).state,
      "waiting",
      "a proxy without this version",
    );
    assert.equal(routes(table("Mesh"), { confirmedVersion }).reason, "MeshNotFound");
    assert.equal(routes(undefined, { confirmedVersion }).state, "waiting");
  });

  it("keeps confirmed routes in force while only the preview hosts of the table change", () => {
    const one = table("Takeover", { total: 2, synced: 2 });
    const changed = { ...one, metadata: { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 } };
    assert.equal(routes(changed, { confirmedVersion: () => "v1" }).state, "programmed");
    assert.match(routes(changed).message, /is being published/);
  });

  it("sums the proxies of all replicas of the route server", () => {
    const replicas = [
      { name: "a", version: "v1", total: 2, synced: 2 },
      { name: "b", version: "v1", total: 1, synced: 1 },
    ];
    const { state, synced, total } = routes(table("Takeover", undefined, replicas));
    assert.deepEqual([state, synced, total], ["programmed", 3, 3]);
  });

  it("counts only proxies of the role that intercepts the requests", () => {
    const roles = [
      { role: "takeover" as const, total: 2, synced: 1 },
      { role: "gateway" as const, total: 2, synced: 2 },
    ];
    const counted = table("Takeover", undefined, [{ name: "a", version: "v1", total: 4, synced: 3, roles }]);
    assert.deepEqual([routes(counted).state, routes(counted).synced, routes(counted).total], ["waiting", 1, 2]);
    const gateways = [{ name: "a", version: "v1", total: 2, synced: 2, roles: roles.slice(1) }];
    assert.equal(routes(table("Takeover", undefined, gateways)).state, "waiting", "a gateway opens no port");
    assert.equal(routes(table("None", undefined, gateways)).state, "programmed");
  });

  it("counts confirmations of an older version as missing", () => {
    const replicas = [
      { name: "a", version: "v1", total: 2, synced: 2 },
      { name: "b", version: "v0", total: 1, synced: 1 },
    ];
    const waiting = table("Takeover", undefined, replicas);
    assert.deepEqual([routes(waiting).state, routes(waiting).synced, routes(waiting).total], ["waiting", 2, 3]);
    assert.equal(waiting.status?.syncedVersion, undefined);
    const current = replicas.map((replica) => ({ ...replica, version: "v1" }));
    assert.equal(table("Takeover", undefined, current).status?.syncedVersion, "v1");
  });

  it("reports why a Service is not taken over", () => {
    const all = { total: 2, synced: 2 };
    const ineligible = routes(table("Takeover", all, undefined, "NotEligible"));
    assert.deepEqual([ineligible.state, ineligible.reason], ["failed", "NotEligible"]);
    assert.equal(routes(table("Takeover", all, undefined, "TakeoverRestored")).reason, "TakeoverRestored");
    assert.equal(routes(table("None", undefined, undefined, "NotEligible")).state, "programmed");
  });

  const sidecarTable = (...targetPorts: readonly (string | undefined)[]): CachedRouteTable => {
    const one = table("None", { total: 2, synced: 2 });
    const ports = targetPorts.map((targetPort, index) => ({
      port: 80 + index,
      baselineTarget: `cart.shop.svc:${80 + index}`,
      ...(targetPort !== undefined && { targetPort }),
    }));
    const routed = { port: 80, targetService: "pr-42-cart", targetPort: 80 };
    const entry = { routingKey: "k3v", sandbox: "pr-42", workload: "cart", source: "Sandbox" as const };
    const spec = { ...one.spec, interception: "Sidecar" as const, ports, entries: [{ ...entry, ports: [routed] }] };
    const changed = RouteTable.parse({ ...one, spec });
    return RouteTable.parse({
      ...changed,
      status: { ...changed.status, conditions: conditions(tableStatus(changed).conditions ?? {}) },
    });
  };
  const conditionOf = (one: CachedRouteTable, type: string) =>
    one.status?.conditions?.find((condition) => condition.type === type);

  it("fails if the target ports of all routed ports are numbers, although all sidecars have confirmed", () => {
    const bypassed = sidecarTable("8080", "metrics");
    const { state, reason, message } = routes(bypassed);

    assert.deepEqual([state, reason], ["failed", "TargetPortsNotNamed"]);
    assert.match(message, /spec\.ports\[\]\.targetPort of Service cart is a number: 8080 \(port 80\)\./);
    assert.match(message, /Give each container port a name .* or use the interception Takeover/);
    assert.equal(routes(sidecarTable(undefined)).reason, "TargetPortsNotNamed", "a table of an older operator");
  });

  it("is programmed if only ports without routes have numbers, which the condition PortsRoutable names", () => {
    const partly = sidecarTable("http", "9090");

    assert.equal(routes(partly).state, "programmed");
    assert.equal(conditionOf(partly, "PortsRoutable")?.reason, "TargetPortsNotNamed");
    assert.match(conditionOf(partly, "PortsRoutable")?.message ?? "", /9090 \(port 81\)/);
    assert.equal(conditionOf(sidecarTable("http", "grpc"), "PortsRoutable")?.reason, "AllPortsRoutable");
  });

  it("compares the version together with the listening ports", () => {
    const one = table("None");
    const withPorts = { ...one, status: { ...one.status, listenPorts: { "80": 21_000 } } };

    assert.match(routes(withPorts).message, /is being published/);
  });

  it("reports a missing mesh, a table that is too large and a key of another object", () => {
    assert.deepEqual([routes(table("Mesh")).state, routes(table("Mesh")).reason], ["failed", "MeshNotFound"]);
    assert.equal(routes(table("None"), { refusedServices: ["shop/cart"] }).reason, "TableTooLarge");
    assert.equal(routes(table("None"), { ownsKey: false }).reason, "RoutingKeyConflict");
  });

  it("has nothing to program without Services", () => {
    assert.equal(routes(undefined, { services: [] }).state, "noRoutes");
  });
});
