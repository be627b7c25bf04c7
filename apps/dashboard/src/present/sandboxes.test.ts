import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MapNode, SandboxRow } from "../api/sandbox-types.ts";
import { layoutMap } from "./layout-map.ts";
import { outcomeText } from "./outcome-text.ts";
import { readRoute, sandboxesPath } from "./routes.ts";
import { selectSandboxes } from "./select-sandboxes.ts";

function node(id: string, type: MapNode["type"], key = ""): MapNode {
  return { id, type, label: id, detail: "", key };
}

describe("the layout of the route map", () => {
  it("places hosts, Services and forks from left to right without overlaps", () => {
    const nodes = [
      node("host", "host", "a"),
      node("cart", "service"),
      node("fork", "fork", "a"),
      node("other", "fork", "b"),
    ];
    const edges = [
      { from: "host", to: "cart", key: "a", label: "" },
      { from: "cart", to: "fork", key: "a", label: "" },
      { from: "cart", to: "other", key: "b", label: "" },
    ];

    const placed = layoutMap({ nodes, edges });

    const [host, cart, fork, other] = placed.nodes;
    assert.ok(host !== undefined && cart !== undefined && fork !== undefined && other !== undefined);
    assert.ok(host.x + host.width < cart.x && cart.x + cart.width < fork.x);
    assert.ok(Math.abs(fork.y - other.y) >= fork.height);
    assert.ok(
      placed.nodes.every(
        ({ x, y, width, height }) => x >= 0 && y >= 0 && x + width <= placed.width && y + height <= placed.height,
      ),
    );
    assert.deepEqual([host.color, cart.color, fork.color, other.color], [0, undefined, 0, 1]);
    assert.ok(placed.edges.every(({ path }) => /^M\d+ \d+( L\d+ \d+)+$/.test(path)));
  });
});

describe("the filter of sandboxes", () => {
  const row = (name: string, rest: Partial<SandboxRow>): SandboxRow => ({
    group: "",
    version: "",
    kind: "Sandbox",
    plural: "",
    namespace: "shop",
    name,
    uid: name,
    state: "ready",
    word: "Running",
    message: "",
    owner: "",
    labels: {},
    routingKey: "",
    expiresAt: "",
    services: "",
    drift: "",
    ...rest,
  });
  const rows = [
    row("forever", { owner: "joe" }),
    row("soon", { owner: "jane", labels: { team: "web" }, expiresAt: "2026-11-18T11:00:00Z" }),
    row("later", { owner: "jane", labels: { team: "api" }, expiresAt: "2026-11-19T11:00:00Z", state: "problem" }),
  ];
  const everything = { text: "", owner: "", label: "", state: "" } as const;
  const names = (filter: Parameters<typeof selectSandboxes>[1]): string[] =>
    selectSandboxes(rows, filter).map(({ name }) => name);

  it("selects by words, owner, label and state; what expires first comes first", () => {
    assert.deepEqual(names(everything), ["soon", "later", "forever"]);
    assert.deepEqual(names({ ...everything, owner: "jane" }), ["soon", "later"]);
    assert.deepEqual(names({ ...everything, label: "team=web" }), ["soon"]);
    assert.deepEqual(names({ ...everything, label: "team" }), ["soon", "later"]);
    assert.deepEqual(names({ ...everything, state: "problem" }), ["later"]);
    assert.deepEqual(names({ ...everything, text: "shop FOR" }), ["forever"]);
  });
});

describe("addresses of the pages about sandboxes", () => {
  it("are read back", () => {
    assert.deepEqual(readRoute("/sandboxes", ""), { page: "sandboxes", part: "list", namespace: "" });
    assert.equal(sandboxesPath("map", "a b"), "/sandboxes/map?namespace=a+b");
    assert.deepEqual(readRoute("/sandboxes/map", "?namespace=a+b"), {
      page: "sandboxes",
      part: "map",
      namespace: "a b",
    });
    assert.equal(readRoute("/sandboxes/other", "").page, "unknown");
  });
});

describe("the text of an outcome", () => {
  it("names the receiver", () => {
    const route = { sandbox: "pr-42", workload: "cart", source: "Sandbox" } as const;

    assert.match(
      outcomeText({ type: "baseline", reason: "no-key", target: "cart--base:80" }),
      /^The baseline cart--base:80/,
    );
    assert.match(outcomeText({ type: "entry", route, targets: [] }), /^The workload cart of sandbox pr-42/);
    assert.match(outcomeText({ type: "unavailable", action: "Fail", route }), /fails with 503/);
    assert.match(
      outcomeText({ type: "unavailable", action: "Hold", route, holdMs: 5_000, afterHold: "Fail" }),
      /waits 5 s/,
    );
    assert.match(outcomeText({ type: "no-port", ports: [80] }), /ports are 80/);
  });
});
