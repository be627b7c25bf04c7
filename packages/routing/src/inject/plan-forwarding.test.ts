import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { decide } from "../decide/decide.ts";
import { KeyReader } from "../key/key-reader.ts";
import type { RoutingErrorReason } from "../key/key-steps.ts";
import { headerSource } from "../request/header-source.ts";
import type { ProxyRole, RequestView } from "../request/request-view.ts";
import { defaultRoutingSettings, type RoutingSettings } from "../settings/routing-settings.ts";
import { compileTable } from "../table/compile-table.ts";
import { planForwarding } from "./plan-forwarding.ts";

const key = "k3v9q2m7x1c4d";
const other = "m5p8r2s6t9v1w";
const { ports } = compileTable({
  namespace: "shop",
  service: "cart",
  version: "1",
  ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
  entries: [
    {
      routingKey: key,
      sandbox: "pr-42",
      workload: "cart",
      source: "Sandbox",
      additionalHeaders: { "X-Environment": "sandbox", "X-Preview": "blocked", via: "replaced" },
      ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80, addresses: ["10.0.0.1:80"] }],
    },
  ],
});

interface Options {
  readonly role?: ProxyRole;
  readonly settings?: Partial<RoutingSettings>;
  readonly request?: Partial<RequestView>;
  readonly isUpgrade?: boolean;
}

type Fields = readonly (readonly [string, string])[];

/** Decides about a request with the given headers and returns the changes, without those that every request gets. */
function plan(fields: Fields, { role = "takeover", settings, request, isUpgrade }: Options = {}) {
  const keys = new KeyReader({ role, settings: { ...defaultRoutingSettings, ...settings } });
  const view: RequestView = { method: "GET", path: "/", headers: headerSource(fields), ...request };
  const counted: RoutingErrorReason[] = [];
  const port = ports.get(80);
  assert.ok(port);
  const decision = decide(port, view, { keys, random: new SeededRandom(1) });
  const result = planForwarding({
    keys,
    request: view,
    decision,
    scheme: "http",
    authority: "cart.shop",
    isUpgrade,
    count: (reason) => counted.push(reason),
  });
  if (result.type === "loop") return { ...result, counted };
  const usual = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "via", "x-sandbox-hops"];
  return {
    path: result.path,
    remove: result.remove,
    set: result.set.filter(([name]) => !usual.includes(name)),
    usual: Object.fromEntries(result.set.filter(([name]) => usual.includes(name))),
    counted,
  };
}

const routed = [
  ["x-environment", "sandbox"],
  ["x-preview", "blocked"],
] as const;

describe("planForwarding", () => {
  it("adds the headers of proxies", () => {
    const { usual } = plan([], { request: { clientAddress: "10.0.3.7" } });

    assert.deepEqual(usual, {
      "x-forwarded-for": "10.0.3.7",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "cart.shop",
      via: "1.1 sandbox-proxy",
      "x-sandbox-hops": "1",
    });
  });

  it("appends to the headers of proxies before, and keeps the first scheme and host", () => {
    const fields: Fields = [
      ["x-forwarded-for", "192.0.2.1"],
      ["x-forwarded-for", "10.0.0.1"],
      ["x-forwarded-proto", "https"],
      ["x-forwarded-host", "shop.example.com"],
      ["via", "1.1 edge"],
      ["x-sandbox-hops", "3"],
    ];

    const { usual } = plan(fields, { request: { clientAddress: "10.0.3.7" } });

    assert.deepEqual(usual, {
      "x-forwarded-for": "192.0.2.1, 10.0.0.1, 10.0.3.7",
      via: "1.1 edge, 1.1 sandbox-proxy",
      "x-sandbox-hops": "4",
    });
  });

  it("refuses a request that has passed 16 proxies", () => {
    assert.deepEqual(plan([["x-sandbox-hops", "16"]]), { type: "loop", counted: ["loop"] });
    assert.deepEqual(plan([["x-sandbox-hops", "99999"]]), { type: "loop", counted: ["loop"] });
    assert.equal(plan([["x-sandbox-hops", "15"]]).usual?.["x-sandbox-hops"], "16");
    assert.equal(plan([["x-sandbox-hops", "many"]]).usual?.["x-sandbox-hops"], "1");
  });

  it("removes the headers of the connection, and those that it names", () => {
    const fields: Fields = [
      ["connection", "keep-alive, X-Trick, content-length"],
      ["x-trick", "1"],
      ["content-length", "5"],
      ["keep-alive", "timeout=5"],
      ["transfer-encoding", "chunked"],
      ["te", "gzip"],
      ["proxy-authorization", "secret"],
      ["accept", "*/*"],
    ];

    const { remove, set } = plan(fields);

    assert.deepEqual(remove, ["x-trick", "connection", "keep-alive", "proxy-authorization", "te", "transfer-encoding"]);
    assert.deepEqual(set, []);
  });

  it("keeps te: trailers, which gRPC needs", () => {
    assert.deepEqual(plan([["te", "trailers"]]).remove, []);
  });

  it("keeps the headers of an upgrade", () => {
    const fields: Fields = [
      ["connection", "keep-alive, Upgrade"],
      ["upgrade", "websocket"],
      ["keep-alive", "timeout=5"],
    ];

    const { remove, set } = plan(fields, { isUpgrade: true });

    assert.deepEqual(remove, ["keep-alive"]);
    assert.deepEqual(set, [["connection", "upgrade"]]);
  });

  it("writes a key of an explicit header into baggage", () => {
    const { set } = plan([
      ["x-routing-key", key],
      ["baggage", "user=7"],
    ]);

    assert.deepEqual(set, [["baggage", `user=7,routing-key=${key}`], ...routed]);
  });

  it("writes a key of a custom header into all forms", () => {
    const { set } = plan([["x-preview", key]], { settings: { customHeaders: ["x-preview"] } });

    // A route may not set a header that carries keys.
    assert.deepEqual(set, [
      ["baggage", `routing-key=${key}`],
      ["x-routing-key", key],
      ["x-environment", "sandbox"],
    ]);
  });

  it("leaves a key alone that tracers forward themselves", () => {
    for (const field of [
      ["baggage", `routing-key=${key}`],
      ["uberctx-routing-key", key],
      ["tracestate", `routing-key=${key}`],
    ] as const) {
      assert.deepEqual(plan([field]).set, routed, field[0]);
    }
  });

  it("passes an unknown key on unchanged", () => {
    const { set, remove } = plan([["x-routing-key", other]]);

    assert.deepEqual({ set, remove }, { set: [], remove: [] });
  });

  it("leaves baggage alone that is full", () => {
    const fields: Fields = [
      ["x-routing-key", key],
      ["baggage", `a=${"x".repeat(8190)}`],
    ];

    const { set, counted } = plan(fields);

    assert.deepEqual(set, routed);
    assert.deepEqual(counted, ["baggage_full"]);
  });

  it("writes only the forms of the settings", () => {
    const { set } = plan([["x-route-key", key]], { settings: { inject: ["x-route-key"] } });

    assert.deepEqual(set, routed);
  });

  it("sets the headers of the route last, also those that proxies write", () => {
    assert.equal(plan([["x-routing-key", key]]).usual?.["via"], "replaced");
  });

  it("does not set the headers of the route on requests to the baseline", () => {
    assert.equal(plan([]).usual?.["via"], "1.1 sandbox-proxy");
  });
});

describe("planForwarding of the gateway", () => {
  const fields: Fields = [
    ["x-routing-key", other],
    ["x-route-key", key],
    ["baggage", `a=1,sd-routing-key=${other},b=2`],
    ["uberctx-routing-key", other],
    ["tracestate", `rojo=1,routing-key=${other}`],
    ["cookie", `a=1; sandbox-routing-key=${other}`],
  ];

  it("writes the key of the host and removes all others", () => {
    const { path, remove, set } = plan(fields, {
      role: "gateway",
      request: { assignedKey: key, path: `/?routing-key=${other}&a=1` },
    });

    assert.equal(path, "/?a=1");
    assert.deepEqual(remove, ["x-route-key", "uberctx-routing-key", "tracestate"]);
    assert.deepEqual(set, [
      ["cookie", "a=1"],
      ["baggage", `a=1,b=2,routing-key=${key}`],
      ["x-routing-key", key],
      ...routed,
    ]);
  });

  it("removes keys of outside clients if there is no key of the host", () => {
    const { remove, set } = plan(fields, { role: "gateway" });

    assert.deepEqual(remove, ["x-routing-key", "x-route-key", "uberctx-routing-key", "tracestate"]);
    assert.deepEqual(set, [
      ["cookie", "a=1"],
      ["baggage", "a=1,b=2"],
    ]);
  });

  it("writes the key again that it removed from the same place", () => {
    const same: Fields = [
      ["x-routing-key", key],
      ["baggage", `routing-key=${key}`],
    ];

    const { remove, set } = plan(same, { role: "gateway", request: { assignedKey: key } });

    assert.deepEqual(remove, []);
    assert.deepEqual(set, [["baggage", `routing-key=${key}`], ["x-routing-key", key], ...routed]);
  });

  it("removes baggage and cookies of which nothing is left", () => {
    const only: Fields = [
      ["baggage", `routing-key=${other}`],
      ["cookie", `sandbox-routing-key=${other}`],
    ];

    assert.deepEqual(plan(only, { role: "gateway" }).remove, ["cookie", "baggage"]);
  });

  it("keeps headers with the accepted key and writes it into all forms", () => {
    const accepted: Fields = [
      ["uberctx-routing-key", key],
      ["tracestate", `routing-key=${key}`],
    ];

    const { remove, set } = plan(accepted, { role: "gateway", settings: { acceptExternalKeys: true } });

    assert.deepEqual(remove, []);
    assert.deepEqual(set, [["baggage", `routing-key=${key}`], ["x-routing-key", key], ...routed]);
  });

  it("leaves values alone that are no keys, if it accepts keys", () => {
    const { remove, set } = plan([["x-routing-key", "Not A Key"]], {
      role: "gateway",
      settings: { acceptExternalKeys: true },
    });

    assert.deepEqual({ remove, set }, { remove: [], set: [] });
  });

  it("keeps the query parameter inside of the cluster", () => {
    assert.equal(plan([], { request: { path: "/?routing-key=abc" } }).path, "/?routing-key=abc");
  });
});

describe("planForwarding on the machine of a developer", () => {
  it("writes the key of the map", () => {
    const { set } = plan([], { role: "local", request: { assignedKey: other } });

    assert.deepEqual(set, [
      ["baggage", `routing-key=${other}`],
      ["x-routing-key", other],
    ]);
  });
});
