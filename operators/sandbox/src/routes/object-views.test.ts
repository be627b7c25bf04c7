import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { compileAll } from "./compile-all.ts";
import { localWorkloadView, routeGroupView, sandboxView, serviceView } from "./object-views.ts";
import { renderedTable } from "../observe/rendered-table.ts";
import { routeTableSpec } from "./table-spec.ts";

const metadata = { namespace: "shop", uid: "u1", creationTimestamp: "2026-01-01T00:00:00Z" };

function sandbox(fields: object = {}, status: object = {}): Sandbox {
  const services = [{ name: "cart", targetRef: { name: "cart" }, onUnavailable: "Hold" }];
  return Sandbox.parse({
    ...typeOf(Sandbox),
    metadata: { name: "pr-42", ...metadata },
    spec: { services, ...fields },
    status,
  });
}

function typeOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  return { apiVersion, kind };
}

const forked = {
  routingKey: "abc123",
  services: [
    {
      name: "cart",
      services: [
        {
          baseline: "cart",
          fork: "pr-42-cart-1a2b3c4d",
          ports: [{ port: 80 }, { port: 53, protocol: "UDP" }, { port: 9000, routable: false }],
        },
      ],
    },
  ],
};

describe("views", () => {
  it("take the access log and the restoration of keys from annotations", () => {
    const plain = sandbox({}, forked);
    const annotated = (value: string) => ({
      ...plain,
      metadata: { ...plain.metadata, annotations: { "sandbox.example.com/access-log": value } },
    });
    assert.equal(sandboxView(plain).isLogged, undefined);
    assert.equal(sandboxView(annotated("true")).isLogged, true);
    assert.equal(sandboxView(annotated("yes")).isLogged, undefined);
    const service = (value: string) => ({
      apiVersion: "v1" as const,
      kind: "Service" as const,
      metadata: { name: "cart", namespace: "shop", annotations: { "sandbox.example.com/restore-keys": value } },
    });
    assert.equal(serviceView(service("true"), "Takeover").restoresKeys, true);
    assert.equal(serviceView(service("false"), "Takeover").restoresKeys, undefined);
  });

  it("can sleep let requests wait, whatever onUnavailable says", () => {
    for (const [idle, holdSeconds] of [
      [{}, undefined],
      [{ startIdle: true }, 90],
      [{ sleepAfterSeconds: 30, wakeTimeoutSeconds: 20 }, 20],
    ] as const) {
      const { entries } = sandboxView(
        sandbox({ idle, services: [{ name: "cart", targetRef: { name: "cart" } }] }, forked),
      );
      assert.equal(entries[0]?.holdSeconds, holdSeconds);
    }
  });

  it("of a sandbox take forks from the status, and only TCP ports that carry keys", () => {
    const view = sandboxView(
      sandbox({ labels: { team: "web" }, priority: 7, idle: { wakeTimeoutSeconds: 30 } }, forked),
    );

    assert.deepEqual(view, {
      namespace: "shop",
      name: "pr-42",
      uid: "u1",
      createdAt: "2026-01-01T00:00:00Z",
      metadataLabels: {},
      specLabels: { team: "web" },
      routingKey: "abc123",
      priority: 7,
      isDeleting: false,
      isSuspended: false,
      entries: [
        {
          name: "cart",
          mode: "Fork",
          onUnavailable: "Hold",
          holdSeconds: 30,
          overrides: [{ namespace: "shop", service: "cart", targetService: "pr-42-cart-1a2b3c4d", ports: [80] }],
        },
      ],
      faults: [],
    });
  });

  it("of a sandbox have no overrides before the status lists them, and none for entries that left the spec", () => {
    assert.deepEqual(sandboxView(sandbox()).entries[0]?.overrides, []);
    assert.deepEqual(sandboxView(sandbox({ services: [] }, forked)).entries, []);
  });

  it("of a local workload have routes from the first attachment until the timeout", () => {
    const local = [
      { name: "http", containerPort: 8080 },
      { name: "db", containerPort: 5432, appProtocol: "tcp" },
    ];
    const spec = { sandboxRef: { name: "pr-42" }, service: { name: "cart", ports: local } };
    const ports = [
      { port: 80, containerPort: 8080 },
      { port: 81, containerPort: 8081 },
      { port: 5432, containerPort: 5432 },
    ];
    const view = (status: object) => {
      const object = { metadata: { name: "jane", ...metadata }, spec, status: { service: "pr-42-cart-99", ...status } };
      const workload = LocalWorkload.parse({ ...typeOf(LocalWorkload), ...object });
      return localWorkloadView(workload, [{ namespace: "shop", name: "cart", ports }]);
    };
    const connection = { connectedAt: "2026-01-01T00:00:00Z" };

    assert.equal(view({}).isRouted, false);
    assert.equal(view({ phase: "Pending", connection }).isRouted, true);
    assert.equal(view({ phase: "Disconnected", connection }).isRouted, true);
    assert.equal(view({ phase: "Failed", connection }).isRouted, false);
    assert.equal(view({}).holdSeconds, 5);
    assert.deepEqual(view({}).overrides, [
      { namespace: "shop", service: "cart", targetService: "pr-42-cart-99", ports: [80] },
    ]);
  });

  it("compile to tables that the RouteTable kind accepts", () => {
    const routes = [
      {
        targetSandbox: "pr-42",
        services: ["cart"],
        paths: [{ prefix: "/api/cart" }, { exact: "/" }],
        headers: [{ name: "x-beta", value: "1" }],
        percent: 50,
        additionalHeaders: { "x-environment": "sandbox" },
      },
    ];
    const group = RouteGroup.parse({
      ...typeOf(RouteGroup),
      metadata: { name: "checkout", ...metadata, uid: "u2" },
      spec: { match: { selector: {} }, routes },
      status: { routingKey: "group1" },
    });
    const ports = [{ port: 80 }, { port: 53, protocol: "UDP" as const }];
    const service = {
      apiVersion: "v1" as const,
      kind: "Service" as const,
      metadata: { name: "cart", namespace: "shop" },
      spec: { ports },
    };
    const faults = [{ service: "cart", delayMs: 100, paths: [{ prefix: "/slow" }] }];
    const { tables } = compileAll({
      sandboxes: [sandboxView(sandbox({ faults, idle: { sleepAfterSeconds: 90 } }, forked))],
      groups: [routeGroupView(group)],
      workloads: [],
      services: [serviceView(service, "Takeover")],
    });
    const table = tables.get("shop/cart")?.table;
    assert.ok(table !== undefined);
    const object = RouteTable.make({ metadata: { name: "cart", namespace: "shop" }, spec: routeTableSpec(table) });

    assert.deepEqual(table.ports, [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }]);
    assert.deepEqual(
      table.entries.map(({ routingKey, source }) => `${routingKey} ${source}`),
      ["abc123 Sandbox", "group1 Explicit", "group1 RouteGroup"],
    );
    assert.deepEqual(
      table.entries.map(({ sleepAfterSeconds }) => sleepAfterSeconds),
      [90, 90, 90],
    );
    assert.deepEqual(RouteTable.check(object), []);
    const cached = RouteTable.default(object);
    assert.deepEqual(routeTableSpec(renderedTable(cached, () => true)), cached.spec);
  });
});
