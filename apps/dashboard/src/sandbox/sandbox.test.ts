import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DeepReadonly, type KubeObject, SeededRandom, type Stored } from "@homeostat/core";
import { defaultRoutingSettings } from "@homeostat/routing";
import {
  LocalWorkload,
  type LocalWorkloadInput,
  RouteGroup,
  type RouteGroupInput,
  RouteTable,
  type RouteTableInput,
  Sandbox,
  type SandboxInput,
  SandboxPolicy,
} from "@homeostat/sandbox-operator";
import { RequestError } from "../errors.ts";
import { curlLine, keyForms } from "./details.ts";
import { readExplainQuery } from "./explain-query.ts";
import { explainRoute } from "./explain-route.ts";
import { policyRows, sandboxRows, tunnelRows } from "./lists.ts";
import { conflictViews, matchTree } from "./match-tree.ts";
import { lostKeyRows } from "./propagation.ts";
import { buildRouteMap } from "./route-map.ts";
import { tableRows } from "./system.ts";

const createdAt = "2026-11-18T10:00:00Z";

function stored<T extends KubeObject>(object: DeepReadonly<T>, name: string, time = createdAt): Stored<T> {
  const metadata = { ...object.metadata, name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: time };
  return Object.assign(object, { metadata });
}

function sandbox(name: string, spec: SandboxInput["spec"] = {}, status: SandboxInput["status"] = {}, time = createdAt) {
  const metadata = { namespace: "shop", name };
  return stored<Sandbox>(Sandbox.default(Sandbox.make({ metadata, spec, status })), name, time);
}

function group(spec: RouteGroupInput["spec"], status: RouteGroupInput["status"] = {}) {
  const metadata = { namespace: "shop", name: "all" };
  return stored<RouteGroup>(RouteGroup.default(RouteGroup.make({ metadata, spec, status })), "all");
}

type Entry = RouteTableInput["spec"]["entries"][number];

function table(service: string, entries: readonly Entry[], rest: Partial<RouteTableInput["spec"]> = {}) {
  const spec = {
    service,
    version: "v1",
    ports: [{ port: 80, baselineTarget: `${service}--base.shop.svc:80` }],
    entries: [...entries],
    ...rest,
  };
  const metadata = { namespace: "shop", name: service };
  const status = {
    proxies: { total: 2, synced: 1 },
    replicas: [
      { name: "a", version: "v1", total: 2, synced: 1, roles: [{ role: "takeover" as const, total: 2, synced: 1 }] },
    ],
  };
  return stored<RouteTable>(RouteTable.default(RouteTable.make({ metadata, spec, status })), service);
}

const forkEntry: Entry = {
  routingKey: "pr-42",
  sandbox: "pr-42",
  workload: "cart",
  source: "Sandbox",
  ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 8080 }],
};

function tunnel(status: NonNullable<LocalWorkloadInput["status"]>) {
  const spec = {
    sandboxRef: { name: "jane" },
    service: { name: "cart", ports: [{ name: "web", containerPort: 8080, localPort: 3000 }] },
  };
  const metadata = { namespace: "shop", name: "jane-cart" };
  return stored<LocalWorkload>(LocalWorkload.default(LocalWorkload.make({ metadata, spec, status })), "jane-cart");
}

describe("lists of sandbox environments", () => {
  it("has owner, expiry, labels of metadata and spec, and the state Suspended", () => {
    const expiresAt = "2026-11-19T10:00:00Z";
    const status = {
      phase: "Running" as const,
      createdBy: "jane",
      expiresAt,
      routingKey: "k",
      summary: { drift: "Behind" },
    };

    const rows = sandboxRows([
      sandbox("b", { labels: { team: "web" } }, status),
      sandbox("a", { suspend: true }, status),
    ]);

    assert.deepEqual(
      rows.map(({ name, word, owner, labels, drift }) => [name, word, owner, labels, drift]),
      [
        ["a", "Suspended", "jane", {}, "Behind"],
        ["b", "Running", "jane", { team: "web" }, "Behind"],
      ],
    );
    assert.equal(rows[0]?.expiresAt, expiresAt);
  });

  it("shows machine, user, local ports and round trip of a tunnel", () => {
    const connection = {
      host: "laptop",
      user: "jane",
      connectedAt: createdAt,
      rttMillis: 12,
      localTarget: "Listening" as const,
    };

    const [row] = tunnelRows([tunnel({ phase: "Connected", connection })]);
    const [gone] = tunnelRows([
      tunnel({ phase: "Disconnected", connection: { ...connection, disconnectedAt: "2026-11-18T11:00:00Z" } }),
    ]);

    assert.deepEqual(
      [row?.machine, row?.user, row?.localPorts, row?.roundTripMs, row?.since, row?.ports],
      ["laptop", "jane", "Listening", 12, createdAt, ["web: 8080 to 127.0.0.1:3000"]],
    );
    assert.deepEqual([gone?.isConnected, gone?.roundTripMs, gone?.since], [false, undefined, "2026-11-18T11:00:00Z"]);
  });

  it("shows the effective policy of each namespace once", () => {
    const effective = {
      policies: ["a", "b"],
      enabled: true,
      allowLocal: false,
      allowPublicEndpoints: false,
      sandboxes: 50,
      perUser: 5,
      pods: 100,
      maxTTL: "7d",
      interception: "Auto" as const,
    };
    const policy = (name: string) => {
      const metadata = { namespace: "shop", name };
      return stored<SandboxPolicy>(
        SandboxPolicy.default(SandboxPolicy.make({ metadata, spec: {}, status: { effective } })),
        name,
      );
    };

    const rows = policyRows([policy("b"), policy("a")]);

    assert.equal(rows.length, 1);
    assert.deepEqual(rows[0]?.policies, ["a", "b"]);
    assert.ok(rows[0]?.limits.some(({ name, value }) => name === "allowLocal" && value === "false"));
    assert.ok(rows[0]?.limits.every(({ name }) => name !== "policies"));
  });

  it("shows the proxies that have confirmed a table, by replica and role", () => {
    const [row] = tableRows([table("cart", [forkEntry])]);

    assert.deepEqual([row?.proxies, row?.replicas, row?.entries], ["1/2", ["a: version v1, takeover 1/2"], 1]);
  });
});

describe("the page Propagation", () => {
  it("has the losses of each sandbox once, the most frequent first", () => {
    const loss = (count: number, from = "frontend") => {
      const lastTime = createdAt;
      return { from, to: "cart", count, traceId: "4bf9", lastTime };
    };
    const entry: Entry = { ...forkEntry, sandboxUid: "uid-pr-42" };
    const other: Entry = { ...forkEntry, sandbox: "jane", routingKey: "jane", sandboxUid: "uid-jane" };
    const losing = (service: string, lostKeys: NonNullable<Stored<RouteTable>["status"]["lostKeys"]>) => {
      const { status, ...rest } = table(service, [entry, other]);
      return { ...rest, status: { ...status, lostKeys } };
    };

    const rows = lostKeyRows([
      losing("cart", { "uid-pr-42": loss(3), "uid-jane": loss(5, "orders") }),
      losing("web", { "uid-pr-42": loss(4), "uid-deleted": loss(9) }),
    ]);

    assert.deepEqual(
      rows.map(({ sandbox: { name }, routingKey, from, to, count }) => [name, routingKey, from, to, count]),
      [
        ["jane", "jane", "orders", "cart", 5],
        ["pr-42", "pr-42", "frontend", "cart", 4],
      ],
    );
  });
});

describe("the match tree of a group", () => {
  const sandboxes = [
    sandbox("a", { labels: { feature: "checkout-1", team: "web" } }),
    sandbox("b", { labels: { feature: "checkout-2" } }),
    sandbox("c", { labels: { team: "web" } }),
  ];

  it("has the matched sandboxes of each node", () => {
    const tree = matchTree(
      { all: [{ label: { key: "feature", value: "checkout-*" } }, { selector: { matchLabels: { team: "web" } } }] },
      sandboxes,
    );

    assert.deepEqual([tree.text, tree.matched], ["all of", ["a"]]);
    assert.deepEqual(
      tree.children.map(({ text, matched }) => [text, matched]),
      [
        ["label feature is checkout-*", ["a", "b"]],
        ["selector team=web", ["a", "c"]],
      ],
    );
  });

  it("explains the winner of a conflict", () => {
    const later = "2026-11-18T12:00:00Z";
    const why = (winner: string, candidates: readonly Stored<Sandbox>[]): string | undefined => {
      const losers = candidates.map(({ metadata }) => metadata.name).filter((name) => name !== winner);
      return conflictViews(group({}, { conflicts: [{ service: "cart", winner, losers }] }), candidates)[0]?.why;
    };

    assert.match(why("a", [sandbox("a", { priority: 5 }), sandbox("b")]) ?? "", /highest priority, 5/);
    assert.match(why("a", [sandbox("a"), sandbox("b", {}, {}, later)]) ?? "", /oldest/);
    assert.match(why("b", [sandbox("a"), sandbox("b", {}, {}, later)]) ?? "", /newest/);
    assert.match(why("a", [sandbox("a"), sandbox("b")]) ?? "", /name is the first/);
    assert.match(why("", [sandbox("a"), sandbox("b")]) ?? "", /conflictPolicy is Oldest/);
  });
});

describe("the route map", () => {
  const local: Entry = { ...forkEntry, routingKey: "jane", sandbox: "jane", mode: "Local" };
  const hosts = [
    {
      host: "shop.preview.example.com",
      target: "http://cart",
      auth: "None" as const,
      path: "/",
      routingKey: "pr-42",
      owner: { kind: "Sandbox" as const, namespace: "shop", name: "pr-42", uid: "1" },
    },
  ];

  it("has hosts, Services, forks and tunnels, and one edge for several routes between two nodes", () => {
    const byGroup: Entry = { ...forkEntry, routingKey: "all", source: "RouteGroup", routeGroup: "all", percent: 50 };

    const { nodes, edges } = buildRouteMap(
      {
        tables: [table("cart", [byGroup, forkEntry, local], { hosts })],
        services: [],
        workloads: [tunnel({ phase: "Connected", connection: { host: "laptop" } })],
      },
      { servicesMax: 10 },
    );

    assert.deepEqual(
      nodes.map(({ type, label, key }) => [type, label, key]),
      [
        ["service", "cart", ""],
        ["host", "shop.preview.example.com", "pr-42"],
        ["fork", "cart", "pr-42"],
        ["tunnel", "cart", "jane"],
      ],
    );
    assert.deepEqual(
      edges.map(({ label }) => label),
      ["key pr-42", "key all, group all, 50 %; key pr-42", "key jane"],
    );
    assert.match(nodes.find(({ type }) => type === "tunnel")?.detail ?? "", /tunnel to laptop: Connected/);
  });

  it("limits the number of Services", () => {
    const input = { tables: [table("cart", []), table("web", [])], services: [], workloads: [] };

    const { nodes, omitted } = buildRouteMap(input, { servicesMax: 1 });

    assert.deepEqual([nodes.length, omitted], [1, 1]);
  });
});

describe("explanations of routes", () => {
  const options = {
    tables: [table("cart", [forkEntry])],
    settings: defaultRoutingSettings,
    random: new SeededRandom(1),
  };
  const query = (text: string) => readExplainQuery(new URLSearchParams(`namespace=shop&service=cart&${text}`));

  it("follow the key of the request", () => {
    const without = explainRoute(query(""), options).explanation;
    const withKey = explainRoute(query("header=X-Routing-Key:+pr-42"), options).explanation;

    assert.equal(without?.outcome.type, "baseline");
    assert.equal(withKey?.outcome.type, "entry");
    assert.equal(withKey?.key?.key, "pr-42");
  });

  it("name a missing table and the ports of a Service with several", () => {
    const other = readExplainQuery(new URLSearchParams("namespace=shop&service=web"));
    const ports = [80, 81].map((port) => ({ port, baselineTarget: `cart--base:${port}` }));

    assert.match(explainRoute(other, options).problem ?? "", /no RouteTable shop\/web/);
    assert.match(
      explainRoute(query(""), { ...options, tables: [table("cart", [], { ports })] }).problem ?? "",
      /80, 81/,
    );
  });

  it("refuse queries that are not valid, with all problems", () => {
    assert.throws(
      () => readExplainQuery(new URLSearchParams("port=0&path=x&header=nocolon")),
      (error) => {
        assert.ok(error instanceof RequestError && error.status === 400);
        for (const word of ["Namespace", "Service", "Port", "Path", "nocolon"])
          assert.match(error.message, new RegExp(word));
        return true;
      },
    );
  });
});

describe("the key of a sandbox", () => {
  it("has all forms that proxies read", () => {
    assert.deepEqual(
      keyForms("pr-42", defaultRoutingSettings).map(({ text }) => text),
      ["x-routing-key: pr-42", "x-route-key: pr-42", "baggage: routing-key=pr-42", "tracestate: routing-key=pr-42"],
    );
  });

  it("has a curl command once a fork has a Service", () => {
    const services = [{ name: "cart", services: [{ baseline: "cart", ports: [{ port: 8080 }] }] }];

    assert.equal(curlLine(sandbox("a", {}, { routingKey: "k1" }), defaultRoutingSettings), undefined);
    assert.equal(
      curlLine(sandbox("a", {}, { routingKey: "k1", services }), defaultRoutingSettings),
      'curl -H "x-routing-key: k1" http://cart.shop.svc:8080/',
    );
  });
});
