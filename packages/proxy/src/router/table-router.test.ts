import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { compileTable, headerSource, KeyReader, type RouteEntry } from "@homeostat/routing";
import { defaultLimits, type ProxyLimits } from "../limits/limits.ts";
import { Holds } from "./holds.ts";
import type { Destination, HoldPlan, IncomingRequest, RoutePlan } from "./route-plan.ts";
import { RouteTables } from "./route-tables.ts";
import { TableRouter } from "./table-router.ts";

const key = "k3v9q2m7x1c4d";
const entry: RouteEntry = { routingKey: key, sandbox: "pr-42", workload: "cart", source: "Sandbox", ports: [] };

function tableOf(addresses: readonly string[], change: Partial<RouteEntry> = {}) {
  const ports = [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses }];
  return compileTable({
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [{ port: 80, listen: 21_000, baselineTarget: "base:80" }],
    entries: [{ ...entry, ports, ...change }],
  });
}

const baselineOnly = compileTable({
  namespace: "shop",
  service: "cart",
  version: "2",
  ports: [{ port: 80, listen: 21_000, baselineTarget: "base:80" }],
  entries: [],
});

function requestWith(
  fields: readonly (readonly [string, string])[],
  change: Partial<IncomingRequest> = {},
): IncomingRequest {
  return {
    method: "GET",
    path: "/",
    headers: headerSource(fields),
    protocol: "http1",
    scheme: "http",
    authority: "cart.shop",
    isUpgrade: false,
    isGrpc: false,
    clientAddress: "10.0.3.7",
    ...change,
  };
}

const keyed = requestWith([["x-routing-key", key]]);

function setup(limits: Partial<ProxyLimits> = {}) {
  const clock = new FakeClock();
  const woken: Destination[] = [];
  const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random: new SeededRandom(1) });
  const holds = new Holds({ clock, limits: { ...defaultLimits, ...limits }, wake: (each) => woken.push(each) });
  tables.onChange(() => holds.retryAll());
  const router = new TableRouter({ tables, listen: 21_000, holds });
  return { clock, tables, holds, router, woken };
}

function held(plan: RoutePlan): HoldPlan {
  assert.equal(plan.type, "hold");
  return plan;
}

const signal = new AbortController().signal;

describe("TableRouter", () => {
  it("sends requests without a key to the baseline, without a response header", () => {
    const { tables, router } = setup();
    tables.swap({ tables: [tableOf(["10.0.0.1:80"])] });

    const plan = router.route(requestWith([]));

    assert.equal(plan.type, "forward");
    assert.deepEqual(plan.targets, ["base:80"]);
    assert.deepEqual(plan.responseHeaders, []);
    assert.equal(plan.destination.kind, "baseline");
    assert.deepEqual(
      plan.edits.set.find(([name]) => name === "x-forwarded-for"),
      ["x-forwarded-for", "10.0.3.7"],
    );
  });

  for (const [appProtocol, http1, http2] of [
    [undefined, "http1", "http2"],
    ["http", "http1", "http2"],
    ["grpc", "http2", "http2"],
    ["http2", "http2", "http2"],
    ["kubernetes.io/h2c", "http2", "http2"],
  ] as const) {
    it(`forwards HTTP/1.1 by ${http1} and HTTP/2 by ${http2} if the appProtocol is ${appProtocol}`, () => {
      const { tables, router } = setup();
      const ports = [{ port: 80, listen: 21_000, baselineTarget: "base:80", appProtocol }];
      const table = { namespace: "shop", service: "cart", version: "1", ports, entries: [] };
      tables.swap({ tables: [compileTable(table)] });

      const plans = (["http1", "http2"] as const).map((protocol) => router.route(requestWith([], { protocol })));

      assert.deepEqual(
        plans.map((plan) => plan.type === "forward" && plan.upstreamProtocol),
        [http1, http2],
      );
      assert.equal(router.isHttp2, http1 === "http2");
    });
  }

  it("sends requests with a key to the sandbox", () => {
    const { tables, router } = setup();
    tables.swap({ tables: [tableOf(["10.0.0.1:80", "10.0.0.2:80"])] });

    const plan = router.route(keyed);

    assert.equal(plan.type, "forward");
    assert.deepEqual(plan.targets, ["10.0.0.1:80", "10.0.0.2:80"]);
    assert.deepEqual(plan.responseHeaders, [["x-sandbox-route", "sandbox=pr-42; workload=cart"]]);
    assert.deepEqual(plan.destination, {
      namespace: "shop",
      service: "cart",
      kind: "sandbox",
      sandbox: "pr-42",
      workload: "cart",
    });
  });

  it("lists the addresses of all targets and baselines", () => {
    const { tables } = setup();
    tables.swap({ tables: [tableOf(["10.0.0.1:80"])] });

    assert.deepEqual([...tables.current.addresses].sort(), ["10.0.0.1:80", "base:80"]);
  });

  it("goes on with the last table of a port that was removed", () => {
    const { tables, router } = setup();
    assert.equal(router.route(keyed).type, "respond");
    tables.swap({ tables: [baselineOnly] });
    assert.equal(router.route(keyed).type, "forward");

    tables.swap({ tables: [] });

    assert.equal(router.route(keyed).type, "forward");
    assert.equal(router.baseline, "base:80");
  });

  it("responds 503 if there is no target, and 508 to a loop", () => {
    const { tables, router } = setup();
    tables.swap({ tables: [tableOf([])] });

    const failed = router.route(keyed);
    const loop = router.route(requestWith([["x-sandbox-hops", "16"]]));

    assert.equal(failed.type, "respond");
    assert.deepEqual(
      { ...failed, destination: undefined },
      {
        type: "respond",
        destination: undefined,
        status: 503,
        grpcStatus: 14,
        headers: [
          ["x-sandbox-route", "sandbox=pr-42; workload=cart"],
          ["retry-after", "5"],
        ],
        body: "Workload cart of sandbox pr-42 is unavailable: it has no ready target.\n",
        delayMs: 0,
        reason: "unavailable",
      },
    );
    assert.equal(loop.type === "respond" && loop.status, 508);
  });

  it("injects delays and aborts", () => {
    const { tables, router } = setup();
    const withFault = (fault: object): RoutePlan => {
      tables.swap({ tables: [tableOf(["10.0.0.1:80"], { middleware: { faults: [fault] } })] });
      return router.route(keyed);
    };

    const delayed = withFault({ delayMs: 200 });
    assert.deepEqual([delayed.type, delayed.type === "forward" && delayed.delayMs], ["forward", 200]);
    const aborted = withFault({ abortCode: 404, delayMs: 10 });
    assert.equal(aborted.type, "respond");
    assert.deepEqual([aborted.status, aborted.grpcStatus, aborted.delayMs, aborted.reason], [404, 12, 10, undefined]);
    assert.equal(withFault({ abortGrpcStatus: 8 }).type, "forward");
    const grpc = router.route({ ...keyed, isGrpc: true });
    assert.equal(grpc.type === "respond" && grpc.grpcStatus, 8);
  });
});

describe("TableRouter with requests that wait", () => {
  const waiting = { onUnavailable: "Hold", holdSeconds: 30 } as const;

  it("continues when a table with a target arrives, and wakes the workload once", async () => {
    const { tables, router, holds, woken } = setup();
    tables.swap({ tables: [tableOf([], waiting)] });
    const first = held(router.route(keyed)).wait(signal);
    const second = held(router.route(keyed)).wait(signal);
    tables.swap({ tables: [tableOf([], waiting)] });
    assert.equal(holds.size, 2);

    tables.swap({ tables: [tableOf(["10.0.0.9:80"], waiting)] });

    for (const plan of [await first, await second])
      assert.deepEqual(plan.type === "forward" && plan.targets, ["10.0.0.9:80"]);
    assert.equal(holds.size, 0);
    assert.equal(woken.length, 1);
  });

  it("fails when the time is over, or goes to the baseline", async () => {
    for (const [onUnavailable, type] of [
      ["Hold", "respond"],
      ["Baseline", "forward"],
    ] as const) {
      const { tables, router, clock } = setup();
      tables.swap({ tables: [tableOf([], { onUnavailable, holdSeconds: 30 })] });
      const plan = held(router.route(keyed)).wait(signal);

      await clock.advance(30_000);

      const end = await plan;
      assert.equal(end.type, type);
      if (end.type === "forward") assert.deepEqual(end.targets, ["base:80"]);
    }
  });

  it("goes to the baseline if the sandbox is deleted", async () => {
    const { tables, router } = setup();
    tables.swap({ tables: [tableOf([], waiting)] });
    const plan = held(router.route(keyed)).wait(signal);

    tables.swap({ tables: [baselineOnly] });

    const end = await plan;
    assert.deepEqual(end.type === "forward" && end.targets, ["base:80"]);
  });

  it("limits requests and bytes of a workload, and releases them", async () => {
    const { tables, router, holds } = setup({ heldMax: 2, heldBytesMax: 100 });
    tables.swap({ tables: [tableOf([], waiting)] });
    const controller = new AbortController();
    const first = held(router.route(keyed)).wait(controller.signal, 60);
    const tooLarge = await held(router.route(keyed)).wait(signal, 41);
    void held(router.route(keyed)).wait(signal, 40);
    const tooMany = await held(router.route(keyed)).wait(signal);

    for (const plan of [tooLarge, tooMany]) assert.equal(plan.type === "respond" && plan.reason, "hold_overflow");
    controller.abort();
    await assert.rejects(first, { name: "AbortError" });
    assert.equal(holds.size, 1);
    void held(router.route(keyed)).wait(signal, 60);
    assert.equal(holds.size, 2);
  });
});
