import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Random, SeededRandom } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { KeyReader } from "../key/key-reader.ts";
import { headerSource } from "../request/header-source.ts";
import type { RequestView } from "../request/request-view.ts";
import { defaultRoutingSettings } from "../settings/routing-settings.ts";
import { compileTable } from "../table/compile-table.ts";
import type { Fault, RouteEntry } from "../table/route-table.ts";
import { decide, type DecisionContext } from "./decide.ts";
import { type Decision, endHold } from "./decision.ts";
import { routeHeader, unavailableText } from "./response-texts.ts";

const key = "k3v9q2m7x1c4d";
const keys = new KeyReader({ role: "takeover" });
const entry: RouteEntry = {
  routingKey: key,
  sandbox: "pr-42",
  workload: "cart",
  source: "Sandbox",
  ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses: ["10.0.0.1:80"] }],
};

/** Returns port 80 of a table with one entry. */
function portOf(change: Partial<RouteEntry> = {}) {
  const port = compileTable({
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
    entries: [{ ...entry, ...change }],
  }).ports.get(80);
  assert.ok(port);
  return port;
}

function withAddresses(...addresses: string[]): Partial<RouteEntry> {
  return { ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses }] };
}

const request: RequestView = { method: "GET", path: "/", headers: headerSource([["x-routing-key", key]]) };

/** Randomness that returns given integers and fails when it is asked for more. */
function draws(...values: number[]): Random {
  const take = (): number => {
    const value = values.shift();
    assert.ok(value !== undefined, "no more random numbers");
    return value;
  };
  return { next: take, int: take };
}

function decideWith(change: Partial<RouteEntry>, context: Partial<DecisionContext> = {}): Decision {
  return decide(portOf(change), request, { keys, random: draws(), ...context });
}

describe("decide about a split", () => {
  it("draws a number if there is nothing to stick to", () => {
    for (const stickyBy of ["TraceId", "ClientIP", "Header", "None"] as const) {
      const types = [2499, 2500].map((drawn) => decideWith({ percent: 25, stickyBy }, { random: draws(drawn) }).type);

      assert.deepEqual(types, ["entry", "baseline"], stickyBy);
    }
  });

  it("draws no number for 100 percent, and none if a value decides", () => {
    assert.equal(decideWith({ percent: 100 }).type, "entry");
    const headers = headerSource([
      ["x-routing-key", key],
      ["x-sticky-key", "user-2"],
    ]);

    const decision = decide(
      portOf({ percent: 50, stickyBy: "Header" }),
      { ...request, headers },
      { keys, random: draws() },
    );

    assert.equal(decision.type, "entry");
  });

  it("gives a route its share of many callers", () => {
    const port = portOf({ percent: 30, stickyBy: "ClientIP" });
    let count = 0;

    for (let n = 0; n < 10_000; n += 1) {
      const clientAddress = `10.${n >> 8}.${n & 255}.7`;
      if (decide(port, { ...request, clientAddress }, { keys, random: draws() }).type === "entry") count += 1;
    }

    assert.ok(count > 2850 && count < 3150, `${count}`);
  });
});

describe("decide about targets", () => {
  const addresses = ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80"];
  const usedWith = (...unhealthy: string[]): readonly string[] => {
    const health = { isHealthy: (address: string) => !unhealthy.includes(address) };
    const decision = decideWith(withAddresses(...addresses), { health });
    assert.equal(decision.type, "entry");
    return decision.targets;
  };

  it("uses all targets if they are healthy, without a copy", () => {
    const port = portOf(withAddresses(...addresses));

    const decision = decide(port, request, { keys, random: draws(), health: { isHealthy: () => true } });

    assert.equal(decision.type, "entry");
    assert.equal(decision.targets, port.routes.get(key)?.[0]?.targets);
  });

  it("leaves out unhealthy targets, up to half of them", () => {
    assert.deepEqual(usedWith("10.0.0.2:80"), ["10.0.0.1:80", "10.0.0.3:80", "10.0.0.4:80"]);
    assert.deepEqual(usedWith("10.0.0.1:80", "10.0.0.4:80"), ["10.0.0.2:80", "10.0.0.3:80"]);
  });

  it("uses all targets if more than half are unhealthy", () => {
    assert.deepEqual(usedWith("10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"), addresses);
    assert.deepEqual(usedWith(...addresses), addresses);
  });
});

describe("decide about a workload without a target", () => {
  it("holds a request for 90 seconds, then fails it", () => {
    const decision = decideWith({ ...withAddresses(), onUnavailable: "Hold" });

    assert.ok(decision.type === "unavailable" && decision.action === "Hold");
    assert.equal(decision.holdMs, 90_000);
    const end = endHold(decision);
    assert.deepEqual([end.type, end.type === "unavailable" && end.action], ["unavailable", "Fail"]);
  });

  it("holds a request for the time of the entry, then sends it to the baseline", () => {
    const decision = decideWith({ ...withAddresses(), onUnavailable: "Baseline", holdSeconds: 5 });

    assert.ok(decision.type === "unavailable" && decision.action === "Hold");
    assert.equal(decision.holdMs, 5000);
    const end = endHold(decision);
    assert.deepEqual([end.type, end.type === "baseline" && end.reason], ["baseline", "unavailable"]);
  });
});

describe("decide about faults", () => {
  const faultWith = (faults: readonly Fault[], random: Random = draws(), path = "/"): unknown => {
    const decision = decide(portOf({ middleware: { faults } }), { ...request, path }, { keys, random });
    assert.equal(decision.type, "entry");
    return decision.fault;
  };

  it("returns none by default", () => assert.equal(faultWith([]), undefined));

  it("adds a random part to the delay", () => {
    assert.deepEqual(faultWith([{ delayMs: 100, jitterMs: 50 }], draws(7)), {
      delayMs: 107,
      abortCode: undefined,
      abortGrpcStatus: undefined,
    });
  });

  it("returns the first that applies", () => {
    const faults: Fault[] = [
      { paths: [{ prefix: "/other" }], abortCode: 500 },
      { methods: ["POST"], abortCode: 501 },
      { percent: 10, abortCode: 502 },
      { abortCode: 503, abortGrpcStatus: 14 },
      { abortCode: 504 },
    ];

    assert.deepEqual(faultWith(faults, draws(999)), { delayMs: 0, abortCode: 502, abortGrpcStatus: undefined });
    assert.deepEqual(faultWith(faults, draws(1000)), { delayMs: 0, abortCode: 503, abortGrpcStatus: 14 });
    assert.deepEqual(faultWith(faults, draws(), "/other"), { delayMs: 0, abortCode: 500, abortGrpcStatus: undefined });
  });
});

describe("the texts of a response", () => {
  const texts = (decision: Decision): string | undefined => routeHeader(decision, defaultRoutingSettings);

  it("name the sandbox and the workload", () => {
    assert.equal(texts(decideWith({})), "sandbox=pr-42; workload=cart");
  });

  it("name the reason for the baseline", () => {
    assert.equal(texts(decideWith({ percent: 0 }, { random: draws(0) })), "baseline; reason=percent");
    assert.equal(texts(decideWith({ routingKey: "another" })), "baseline; reason=unknown-key");
    assert.equal(texts(decideWith({ ...withAddresses(), onUnavailable: "Baseline" })), "baseline; reason=unavailable");
  });

  it("are absent without a key, and if they are switched off", () => {
    const without = decide(portOf(), { ...request, headers: headerSource([]) }, { keys, random: draws() });

    assert.equal(texts(without), undefined);
    assert.equal(routeHeader(decideWith({}), { debugResponseHeader: false }), undefined);
  });

  it("explain a failed request", () => {
    const decision = decideWith(withAddresses());

    assert.ok(decision.type === "unavailable" && decision.action === "Fail");
    assert.equal(unavailableText(decision), "Workload cart of sandbox pr-42 is unavailable: it has no ready target.\n");
    assert.equal(
      unavailableText(decision, "port 3000 of machine 0a1b2c is closed"),
      "Workload cart of sandbox pr-42 is unavailable: port 3000 of machine 0a1b2c is closed.\n",
    );
  });
});

describe("decide", () => {
  it("never throws and never takes long, whatever bytes the request has", () => {
    const port = portOf({
      percent: 50,
      match: { paths: [{ prefix: "/api" }], methods: ["GET"], headers: [{ name: "x-team", value: "blue" }] },
      middleware: { faults: [{ percent: 50, delayMs: 1, jitterMs: 2 }] },
    });
    const names = [
      "x-routing-key",
      "baggage",
      "tracestate",
      "traceparent",
      "uberctx-routing-key",
      "cookie",
      "user-agent",
      "x-team",
    ];
    const pieces = [
      key,
      "routing-key=",
      ",",
      ";",
      "=",
      " ",
      "\t",
      "%",
      "%61",
      "%2f",
      "\u0000",
      "\u00ff",
      "\ud800",
      "/api",
      "..",
      "blue",
      "kube-probe/",
      "00-",
    ];
    const settings = { ...defaultRoutingSettings, acceptExternalKeys: true };
    const readers = (["takeover", "gateway", "local"] as const).map((role) => new KeyReader({ role, settings }));
    const random = new SeededRandom(7);
    const reached = new Set<string>();

    fuzz({
      count: 10_000,
      input: (chance, n) => ({
        keys: chance.pick(readers),
        request: {
          method: chance.pick(["GET", "POST", "", "\u0000"]),
          // Some requests are valid, so that a sample reaches every outcome.
          path: n % 3 === 0 ? "/api/cart" : chance.mutate("/api/../api/cart?routing-key=abc", pieces),
          headers: headerSource(
            Array.from({ length: chance.int(6) }, () => {
              const start = chance.pick([
                key,
                `a=1,routing-key=${key};p=1`,
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "blue",
              ]);
              return [chance.pick(names), n % 3 === 0 ? start : chance.mutate(start, pieces)] as const;
            }),
          ),
          assignedKey: chance.int(8) === 0 ? chance.mutate(key, pieces) : undefined,
          clientAddress: "10.0.3.7",
        },
      }),
      run: ({ keys: reader, request: view }) => {
        const decision = decide(port, view, { keys: reader, random });
        reached.add(decision.type === "baseline" ? decision.reason : decision.type);
      },
      isExpected: () => false,
    });

    assert.deepEqual([...reached].sort(), ["condition", "entry", "no-key", "percent", "probe", "unknown-key"]);
  });
});
