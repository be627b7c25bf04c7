import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileTable } from "./compile-table.ts";
import type { RouteLookup } from "./route-lookup.ts";
import type { EntrySource, RouteEntry, RouteTable } from "./route-table.ts";

const entry: RouteEntry = {
  routingKey: "key-1",
  sandbox: "pr-1",
  workload: "cart",
  source: "Sandbox",
  ports: [{ port: 80, targetService: "pr-1-cart", targetPort: 8080, addresses: ["10.0.0.1:8080"] }],
};

function tableOf(entries: readonly RouteEntry[]): RouteTable {
  return {
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [
      { port: 80, baselineTarget: "cart--base.shop.svc:80" },
      { port: 9000, baselineTarget: "cart--base.shop.svc:9000" },
    ],
    entries,
  };
}

const entries: fc.Arbitrary<RouteEntry[]> = fc
  .array(
    fc.record({
      key: fc.integer({ min: 1, max: 5 }),
      source: fc.constantFrom<EntrySource>("Sandbox", "RouteGroup", "Explicit"),
      percent: fc.integer({ min: 0, max: 100 }),
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map(({ key, source, percent }, index) => ({
      ...entry,
      routingKey: `key-${key}`,
      source,
      percent,
      workload: `w-${index}`,
    })),
  );

/** Returns all routes of a lookup, by key. */
function routesOf(routes: RouteLookup): ReadonlyMap<string, unknown> {
  return new Map(Array.from(routes.keys(), (key) => [key, routes.get(key)]));
}

describe("compileTable", () => {
  it("finds routes by port and key", () => {
    const { ports, keys } = compileTable(tableOf([entry]));

    assert.deepEqual(
      ports
        .get(80)
        ?.routes.get("key-1")
        ?.map((route) => route.targets),
      [["10.0.0.1:8080"]],
    );
    assert.equal(ports.get(9000)?.routes.size, 0);
    assert.equal(ports.get(443), undefined);
    assert.deepEqual([...keys], ["key-1"]);
  });

  it("fills defaults", () => {
    const route = compileTable(tableOf([entry]))
      .ports.get(80)
      ?.routes.get("key-1")?.[0];

    assert.deepEqual(route, {
      entry,
      conditions: undefined,
      share: 10_000,
      stickyBy: "TraceId",
      stickyHeader: "x-sticky-key",
      onUnavailable: "Fail",
      holdMs: 0,
      targets: ["10.0.0.1:8080"],
      additionalHeaders: [],
      faults: [],
      isLogged: false,
    });
  });

  it("compiles the routes of a key once, and lists targets without compiling", () => {
    const second: RouteEntry = { ...entry, workload: "other", match: { methods: ["PUT"] } };
    const virtual: RouteEntry = { ...entry, routingKey: "key-2", mode: "Virtual", ports: [] };
    const elsewhere: RouteEntry = { ...entry, routingKey: "key-3", ports: [] };
    const routes = compileTable(tableOf([entry, second, virtual, elsewhere])).ports.get(80)?.routes;
    assert.ok(routes);

    assert.deepEqual(
      Array.from(routes.targets(), ({ key, entry: { workload }, targets }) => [key, workload, targets]),
      [
        ["key-1", entry.workload, ["10.0.0.1:8080"]],
        ["key-1", "other", ["10.0.0.1:8080"]],
        ["key-2", entry.workload, [tableOf([]).ports[0]?.baselineTarget]],
      ],
    );
    assert.equal(routes.get("key-1"), routes.get("key-1"));
    assert.deepEqual(
      routes.get("key-1")?.map((route) => route.entry),
      [entry, second],
    );
    assert.deepEqual([...routes.keys()], ["key-1", "key-2"]);
    assert.equal(routes.get("key-3"), undefined);
    assert.equal(routes.get("__proto__"), undefined);
    assert.equal(routes.size, 2);
  });

  it("lists the headers that conditions and splits read", () => {
    const { headerNames } = compileTable(
      tableOf([
        { ...entry, match: { headers: [{ name: "X-Team", value: "blue" }] } },
        { ...entry, stickyBy: "Header", stickyHeader: "X-User" },
        { ...entry, stickyBy: "TraceId", stickyHeader: "X-Unused" },
      ]),
    );

    assert.deepEqual(headerNames, ["x-team", "x-user"]);
  });

  it("gives the same result for the same table, and leaves the table alone", () => {
    fc.assert(
      fc.property(entries, (list) => {
        const table = tableOf(list);
        const before = structuredClone(table);

        const compiled = compileTable(table);
        const again = compileTable(structuredClone(table));
        assert.deepEqual(compiled, again);
        for (const [port, { routes }] of compiled.ports) {
          const others = again.ports.get(port)?.routes;
          assert.deepEqual(routesOf(routes), others && routesOf(others));
        }
        assert.deepEqual(table, before);
      }),
    );
  });

  it("tries explicit routes first and otherwise keeps the order of each key, whatever is between its entries", () => {
    fc.assert(
      fc.property(entries, (list) => {
        const routes = compileTable(tableOf(list)).ports.get(80)?.routes;

        for (const key of new Set(list.map(({ routingKey }) => routingKey))) {
          const own = list.filter(({ routingKey }) => routingKey === key);
          const expected = [
            ...own.filter(({ source }) => source === "Explicit"),
            ...own.filter(({ source }) => source !== "Explicit"),
          ];
          assert.deepEqual(
            routes?.get(key)?.map((route) => route.entry.workload),
            expected.map(({ workload }) => workload),
          );
        }
      }),
    );
  });
});
