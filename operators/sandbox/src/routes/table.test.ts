import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RouteEntry } from "@homeostat/routing";
import { aGroup, anEntry, anOverride, aRoute, aSandbox, aService, aWorkload } from "../testing/route-views.ts";
import { compileAll } from "./compile-all.ts";
import { tableLimits, type TableLimits } from "./table-size.ts";
import type { LocalWorkloadView, RouteGroupView, SandboxView, ServiceView } from "./views.ts";

interface Objects {
  readonly sandboxes?: readonly SandboxView[];
  readonly groups?: readonly RouteGroupView[];
  readonly workloads?: readonly LocalWorkloadView[];
  readonly services?: readonly ServiceView[];
}

function compile(
  { sandboxes = [], groups = [], workloads = [], services = [aService("cart")] }: Objects,
  limits?: TableLimits,
) {
  return compileAll({ sandboxes, groups, workloads, services }, limits);
}

function entriesOf(objects: Objects, key = "shop/cart"): readonly RouteEntry[] {
  return compile(objects).tables.get(key)?.table?.entries ?? [];
}

/** Returns entries as `<key> <source> <sandbox>/<workload>`. */
function linesOf(objects: Objects): readonly string[] {
  return entriesOf(objects).map(
    ({ routingKey, source, sandbox, workload }) => `${routingKey} ${source} ${sandbox}/${workload}`,
  );
}

const everything = { selector: {} };

describe("route tables", () => {
  it("route the key of a sandbox to its fork", () => {
    const { tables } = compile({ sandboxes: [aSandbox("pr-42", { forks: ["cart"] })] });

    assert.deepEqual([...tables.keys()], ["shop/cart"]);
    assert.deepEqual(tables.get("shop/cart")?.table, {
      namespace: "shop",
      service: "cart",
      version: "1da7678d656df0e4",
      interception: "Takeover",
      ports: [{ port: 80, name: "http", appProtocol: "http", baselineTarget: "cart--base.shop.svc:80" }],
      entries: [
        {
          routingKey: "key-pr-42",
          sandbox: "pr-42",
          sandboxUid: "uid-pr-42",
          workload: "cart",
          source: "Sandbox",
          onUnavailable: "Fail",
          ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80 }],
        },
      ],
    });
  });

  it("lead to the baseline by the Service itself if it is not taken over", () => {
    const services = [aService("cart", { interception: "Sidecar" })];
    const { tables } = compile({ sandboxes: [aSandbox("pr-42", { forks: ["cart"] })], services });

    assert.equal(tables.get("shop/cart")?.table?.ports[0]?.baselineTarget, "cart.shop.svc:80");
  });

  it("keep the target ports of a Service whose requests sidecars route, also those that are numbers", () => {
    const unnamed = { name: undefined, appProtocol: undefined };
    const ports = [
      { ...unnamed, port: 80, targetPort: "http" },
      { ...unnamed, port: 81, targetPort: 8080 },
      { ...unnamed, port: 82 },
    ];
    const targets = (interception: "Sidecar" | "Takeover") => {
      const services = [{ ...aService("cart", { interception }), ports }];
      const { tables } = compile({ sandboxes: [aSandbox("pr-42", { forks: ["cart"] })], services });
      return tables.get("shop/cart")?.table?.ports.map(({ targetPort }) => targetPort);
    };

    assert.deepEqual(targets("Sidecar"), ["http", "8080", "82"]);
    assert.deepEqual(targets("Takeover"), [undefined, undefined, undefined]);
  });

  it("do not exist without a Service, and without routes", () => {
    assert.equal(compile({ sandboxes: [aSandbox("a", { forks: ["cart"] })], services: [] }).tables.size, 0);
    assert.equal(compile({ sandboxes: [aSandbox("a")] }).tables.size, 0);
  });

  it("have the same bytes for objects in another order, and another version for another content", () => {
    const sandboxes = ["a", "b", "c"].map((name) => aSandbox(name, { forks: ["cart"] }));
    const groups = ["g", "h"].map((name) => aGroup(name, { match: everything, routes: [aRoute("b")] }));
    const text = (objects: Objects): string => JSON.stringify([...compile(objects).tables]);
    const versionOf = (objects: Objects) => compile(objects).tables.get("shop/cart")?.table?.version;

    assert.equal(text({ sandboxes, groups }), text({ sandboxes: sandboxes.toReversed(), groups: groups.toReversed() }));
    const changed = [aSandbox("a", { forks: ["cart"], routingKey: "another" }), ...sandboxes.slice(1)];
    assert.notEqual(versionOf({ sandboxes, groups }), versionOf({ sandboxes: changed, groups }));
  });

  it("leave out sandboxes that terminate, are suspended, or have no key", () => {
    const forks = ["cart"];
    const sandboxes = [
      aSandbox("a", { forks, isDeleting: true }),
      aSandbox("b", { forks, isSuspended: true }),
      aSandbox("c", { forks, routingKey: undefined }),
    ];
    const groups = [aGroup("g", { match: everything, routes: ["a", "b", "c"].map((name) => aRoute(name)) })];

    assert.deepEqual(linesOf({ sandboxes, groups }), []);
    assert.deepEqual(
      compile({ sandboxes, groups })
        .groups.get("shop/g")
        ?.unresolvedRoutes.map(({ problem }) => problem),
      ["SandboxNotRouted", "SandboxNotRouted", "SandboxNotRouted"],
    );
  });

  it("give a key to the older object, and no routes to the other", () => {
    const old = aSandbox("old", { forks: ["cart"], routingKey: "shared" });
    const young = aSandbox("young", { forks: ["cart"], routingKey: "shared", createdAt: "2026-02-01T00:00:00Z" });
    const group = aGroup("g", { match: everything, routingKey: "shared", createdAt: "2026-03-01T00:00:00Z" });
    const result = compile({ sandboxes: [young, old], groups: [group] });

    assert.deepEqual(linesOf({ sandboxes: [young, old], groups: [group] }), ["shared Sandbox old/cart"]);
    assert.equal(result.sandboxes.get("shop/old")?.ownsKey, true);
    assert.equal(result.sandboxes.get("shop/young")?.ownsKey, false);
    assert.equal(result.groups.get("shop/g")?.ownsKey, false);
  });

  it("try explicit routes before matched ones, in the order of the list", () => {
    const sandboxes = [aSandbox("a", { forks: ["cart"] }), aSandbox("b", { forks: ["cart"], priority: 1 })];
    const routes = [
      aRoute("b", { match: { paths: [{ prefix: "/api" }] } }),
      aRoute("a", { percent: 50 }),
      aRoute("b", { routingKey: "key-a" }),
    ];
    const groups = [aGroup("g", { match: everything, routes })];

    assert.deepEqual(linesOf({ sandboxes, groups }), [
      "key-a Explicit b/cart",
      "key-a Sandbox a/cart",
      "key-b Sandbox b/cart",
      "key-g Explicit b/cart",
      "key-g Explicit a/cart",
      "key-g RouteGroup b/cart",
    ]);
  });

  it("have the conditions of explicit routes, and no defaults", () => {
    const sandboxes = [aSandbox("a", { forks: ["cart"] })];
    const full = aRoute("a", {
      match: {
        headers: [{ name: "X-Beta", value: "1" }],
        methods: ["GET"],
        paths: [{ exact: "/a" }, { prefix: "/b" }],
      },
      percent: 25,
      stickyBy: "Header",
      stickyHeader: "x-user",
      additionalHeaders: { "x-b": "2", "x-a": "1" },
    });
    const plain = aRoute("a", { match: { paths: [], methods: [] } });
    const [first, second] = entriesOf({ sandboxes, groups: [aGroup("g", { routes: [full, plain] })] }).filter(
      ({ source }) => source === "Explicit",
    );

    assert.equal(
      JSON.stringify(first),
      '{"routingKey":"key-g","sandbox":"a","sandboxUid":"uid-a","workload":"cart","source":"Explicit","routeGroup":"g",' +
        '"match":{"paths":[{"exact":"/a"},{"prefix":"/b"}],"methods":["GET"],"headers":[{"name":"X-Beta","value":"1"}]},' +
        '"percent":25,"stickyBy":"Header","stickyHeader":"x-user","additionalHeaders":{"x-a":"1","x-b":"2"},' +
        '"onUnavailable":"Fail","ports":[{"port":80,"targetService":"a-cart","targetPort":80}]}',
    );
    assert.deepEqual(Object.keys(second ?? {}), [
      "routingKey",
      "sandbox",
      "sandboxUid",
      "workload",
      "source",
      "routeGroup",
      "onUnavailable",
      "ports",
    ]);
  });

  it("limit explicit routes to the entries that they name, and groups to the Services that they select", () => {
    const sandboxes = [aSandbox("a", { forks: ["cart", "web"] })];
    const services = [aService("cart", { labels: { tier: "back" } }), aService("web", { labels: { tier: "front" } })];
    const named = compile({
      sandboxes,
      services,
      groups: [aGroup("g", { routes: [aRoute("a", { entries: ["web"] })] })],
    });
    const selected = compile({
      sandboxes,
      services,
      groups: [aGroup("g", { match: everything, selector: { matchLabels: { tier: "front" } } })],
    });

    assert.deepEqual(named.groups.get("shop/g")?.services, ["shop/web"]);
    assert.deepEqual(selected.groups.get("shop/g")?.services, ["shop/web"]);
  });

  it("report why explicit routes have no effect", () => {
    const sandboxes = [aSandbox("a", { forks: ["cart"] }), aSandbox("theirs", { namespace: "bank", forks: ["cart"] })];
    const routes = [
      aRoute("missing"),
      aRoute("a", { entries: ["web"] }),
      aRoute("a", { routingKey: "key-theirs" }),
      aRoute("a"),
    ];
    const { groups } = compile({ sandboxes, groups: [aGroup("g", { routes })] });

    assert.deepEqual(groups.get("shop/g")?.unresolvedRoutes, [
      { index: 0, targetSandbox: "missing", problem: "SandboxMissing" },
      { index: 1, targetSandbox: "a", problem: "NoSuchEntry" },
      { index: 2, targetSandbox: "a", problem: "KeyOfOtherNamespace" },
    ]);
  });

  it("report conflicts of a group with winner and losers", () => {
    const sandboxes = ["c", "a", "b"].map((name) => aSandbox(name, { forks: ["cart"] }));
    const groups = [aGroup("g", { match: everything }), aGroup("r", { match: everything, conflictPolicy: "Reject" })];
    const result = compile({ sandboxes, groups });

    assert.deepEqual(result.groups.get("shop/g")?.conflicts, [{ service: "cart", winner: "a", losers: ["b", "c"] }]);
    assert.deepEqual(result.groups.get("shop/r")?.conflicts, [
      { service: "cart", winner: undefined, losers: ["a", "b", "c"] },
    ]);
    assert.deepEqual(result.groups.get("shop/r")?.services, []);
    assert.deepEqual(result.groups.get("shop/g")?.matchedSandboxes, ["a", "b", "c"]);
    assert.deepEqual(result.sandboxes.get("shop/b"), {
      ownsKey: true,
      groups: ["g", "r"],
      services: ["shop/cart"],
      refusedServices: [],
    });
  });

  it("prefer the machine of a LocalWorkload to a fork, and the oldest of several", () => {
    const sandboxes = [aSandbox("a", { forks: ["cart"] })];
    const old = aWorkload("old", { sandbox: "a", serves: "cart", onUnavailable: "Baseline" });
    const young = aWorkload("young", { sandbox: "a", serves: "cart", createdAt: "2026-02-01T00:00:00Z" });
    const [entry] = entriesOf({ sandboxes, workloads: [young, old] });

    assert.deepEqual(entry, {
      routingKey: "key-a",
      sandbox: "a",
      sandboxUid: "uid-a",
      workload: "cart",
      mode: "Local",
      source: "Sandbox",
      onUnavailable: "Baseline",
      holdSeconds: 5,
      ports: [{ port: 80, targetService: "tunnel-old", targetPort: 80 }],
    });
    const gone = aWorkload("old", { sandbox: "a", serves: "cart", isRouted: false });
    assert.equal(entriesOf({ sandboxes, workloads: [gone] })[0]?.ports[0]?.targetService, "a-cart");
  });

  it("have no targets for Virtual entries, no routes for Local ones, and no ports that the Service lacks or that carry no key", () => {
    const entry = (name: string, mode: "Virtual" | "Local" | "Fork", ports: readonly number[]) =>
      anEntry(name, { mode, overrides: [anOverride(name, { fork: `a-${name}`, ports })] });
    const entries = [entry("v", "Virtual", []), entry("l", "Local", [80]), entry("f", "Fork", [80, 81, 82, 83])];
    const port = (number: number, appProtocol?: string) => ({ port: number, name: undefined, appProtocol });
    const services = ["v", "l", "f"].map((name) => aService(name, { ports: [port(82), port(81, "tcp"), port(80)] }));
    const { tables } = compile({ sandboxes: [aSandbox("a", { entries })], services });

    assert.deepEqual([...tables.keys()], ["shop/f", "shop/v"]);
    assert.deepEqual(tables.get("shop/v")?.table?.entries[0]?.ports, []);
    assert.deepEqual(
      tables.get("shop/f")?.table?.entries[0]?.ports.map((each) => each.port),
      [80, 82],
    );
  });

  it("have the faults of a sandbox for its own key only", () => {
    const faults = [
      { service: "cart", percent: 50, abortCode: 503, paths: [{ prefix: "/pay" }] },
      { service: "web", delayMs: 100 },
    ];
    const sandboxes = [aSandbox("a", { forks: ["cart"], faults })];
    const entries = entriesOf({ sandboxes, groups: [aGroup("g", { match: everything })] });

    assert.deepEqual(
      entries.map(({ middleware }) => middleware),
      [{ faults: [{ percent: 50, abortCode: 503, paths: [{ prefix: "/pay" }] }] }, undefined],
    );
  });
});

describe("the size limit of tables", () => {
  const sandboxes = Array.from({ length: 20 }, (_, i) => aSandbox(`s${i}`, { forks: ["cart"] }));
  const large = aGroup("large", {
    routes: Array.from({ length: 30 }, () => aRoute("s1", { additionalHeaders: { "x-a": "a".repeat(900) } })),
  });
  const small = aGroup("small", { match: everything });

  it("leaves out the group that exceeds it, and nothing else", () => {
    const { tables, groups } = compile({ sandboxes, groups: [large, small] }, { ...tableLimits, bytesMax: 20_000 });
    const compiled = tables.get("shop/cart");

    assert.deepEqual(
      compiled?.refusedGroups.map(({ group }) => group),
      ["shop/large"],
    );
    assert.ok((compiled.refusedGroups[0]?.bytes ?? 0) > 27_000);
    assert.equal(compiled.table?.entries.length, 21);
    assert.ok(JSON.stringify(compiled.table).length < 20_000);
    assert.deepEqual(groups.get("shop/large")?.refusedServices, ["shop/cart"]);
    assert.deepEqual(groups.get("shop/small")?.services, ["shop/cart"]);
  });

  it("refuses a table that is too large without groups", () => {
    for (const limits of [
      { ...tableLimits, bytesMax: 2000 },
      { ...tableLimits, entriesMax: 10 },
    ]) {
      const result = compile({ sandboxes, groups: [small] }, limits);

      assert.equal(result.tables.get("shop/cart")?.isRefused, true);
      assert.equal(result.tables.get("shop/cart")?.table, undefined);
      assert.deepEqual(result.sandboxes.get("shop/s3")?.refusedServices, ["shop/cart"]);
      assert.deepEqual(result.sandboxes.get("shop/s3")?.services, []);
      assert.deepEqual(result.groups.get("shop/small")?.refusedServices, ["shop/cart"]);
    }
  });

  it("counts bytes, not characters", () => {
    const group = aGroup("g", { routes: [aRoute("s1", { additionalHeaders: { "x-a": "é".repeat(500) } })] });
    const bytes = Buffer.byteLength(
      JSON.stringify(compile({ sandboxes, groups: [group] }).tables.get("shop/cart")?.table),
    );

    const fits = compile({ sandboxes, groups: [group] }, { ...tableLimits, bytesMax: bytes });
    const exceeds = compile({ sandboxes, groups: [group] }, { ...tableLimits, bytesMax: bytes - 500 });
    assert.equal(fits.tables.get("shop/cart")?.refusedGroups.length, 0);
    assert.equal(exceeds.tables.get("shop/cart")?.refusedGroups.length, 1);
  });
});
