import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OverviewRow, State } from "../api/types.ts";
import { diffValues } from "./diff-values.ts";
import { readController, readExplanation, readInformer } from "./explanation.ts";
import { formatAge, formatBytes, formatDuration, formatMs, formatUntil } from "./format.ts";
import { objectPath, objectQuery, readRoute } from "./routes.ts";
import { countStates, selectRows } from "./sort-rows.ts";

describe("formats", () => {
  it("use the largest unit", () => {
    assert.deepEqual([0, 59_999, 60_000, 3_600_000, 172_800_000].map(formatDuration), [
      "0 s",
      "59 s",
      "1 min",
      "1 h",
      "2 d",
    ]);
    assert.deepEqual([3.4, 1_250].map(formatMs), ["3 ms", "1.3 s"]);
    assert.deepEqual([900, 12_300, 3_400_000].map(formatBytes), ["900 B", "12 KB", "3.4 MB"]);
  });

  it("are empty for times that are missing", () => {
    const now = Date.parse("2026-01-01T00:01:00Z");

    assert.deepEqual(
      ["", "2026-01-01T00:00:00Z", "2026-01-01T00:02:00Z"].map((time) => formatAge(time, now)),
      ["", "1 min", "0 s"],
    );
    assert.deepEqual(
      ["", "2026-01-01T00:00:00Z", "2026-01-01T00:02:00Z"].map((time) => formatUntil(time, now)),
      ["", "now", "in 1 min"],
    );
  });
});

describe("selectRows", () => {
  const row = (name: string, state: State, at: string): OverviewRow => ({
    uid: name,
    group: "example.com",
    version: "v1",
    kind: "Site",
    plural: "sites",
    namespace: "shop",
    name,
    state,
    word: "Running",
    message: name === "b" ? "no quorum" : "",
    createdAt: "2026-01-01T00:00:00Z",
    lastChange: { at, manager: "m", subresource: "" },
  });
  const rows = [
    row("a", "ready", "2026-01-01T00:00:01Z"),
    row("b", "problem", "2026-01-01T00:00:02Z"),
    row("c", "ready", "2026-01-01T00:00:03Z"),
    row("d", "progressing", "2026-01-01T00:00:00Z"),
  ];
  const select = (filter: object): string =>
    selectRows(rows, { text: "", state: "", kind: "", ...filter })
      .map(({ name }) => name)
      .join("");

  it("returns problems first, then the latest changes", () => {
    assert.equal(select({}), "bdca");
  });

  it("selects by words, state and kind", () => {
    assert.deepEqual(
      [select({ text: "SHOP quorum" }), select({ state: "ready" }), select({ kind: "Other.example.com" })],
      ["b", "ca", ""],
    );
    assert.deepEqual(countStates(rows), { problem: 1, progressing: 1, unknown: 0, ready: 2, finished: 0 });
  });
});

describe("diffValues", () => {
  it("returns changed, added and removed fields with their paths", () => {
    const before = { phase: "Pending", conditions: [{ type: "Ready", status: "False" }], old: { a: 1 } };
    const after = {
      phase: "Running",
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Idle", status: "True" },
      ],
    };

    assert.deepEqual(
      diffValues(before, after).map(({ path, before: old, after: current }) => [path, old, current]),
      [
        ["phase", '"Pending"', '"Running"'],
        ["conditions[Ready].status", '"False"', '"True"'],
        ["conditions[Idle]", undefined, '{"type":"Idle","status":"True"}'],
        ["old", '{"a":1}', undefined],
      ],
    );
    assert.deepEqual(diffValues(after, structuredClone(after)), []);
  });
});

describe("routes", () => {
  it("read the paths that they write", () => {
    const cart = { group: "sandbox.example.com", kind: "Sandbox", namespace: "shop", name: "pr-42" };
    const node = { group: "", kind: "Namespace", namespace: undefined, name: "a" };

    for (const ref of [cart, node])
      assert.deepEqual(readRoute(objectPath("resource", ref), ""), { page: "resource", ref });
    assert.equal(objectPath("why", node), "/why/-/Namespace/-/a");
    assert.equal(objectQuery(node), "group=&kind=Namespace&name=a");
  });

  it("read other pages", () => {
    assert.deepEqual(readRoute("/", "?namespace=shop"), { page: "overview", namespace: "shop" });
    assert.deepEqual(readRoute("/operators", ""), { page: "operators" });
    for (const path of ["/resource/a", "/other", "/resource/-/Pod/a/b/c"])
      assert.deepEqual(readRoute(path, ""), { page: "unknown", path });
  });
});

describe("the response of /why", () => {
  it("is read with its reconciles, writes and errors", () => {
    const explanation = readExplanation({
      now: { state: "delayed", at: "2026-01-01T00:00:10Z", attempt: 2, reasons: ["retry"], held: { why: "hot-loop" } },
      reconciles: [
        {
          id: "1",
          startedAt: "2026-01-01T00:00:00Z",
          durationMs: 12,
          why: ["spec changed"],
          result: "failed",
          error: { code: "CONFLICT", message: "m" },
          writes: [
            { verb: "apply", resource: "services", key: "a/b", result: "written", fields: ["spec.ports"], ms: 3 },
          ],
        },
      ],
    });

    assert.deepEqual([explanation.state, explanation.held, explanation.attempt], ["delayed", "hot-loop", 2]);
    assert.deepEqual(explanation.reconciles[0]?.writes[0]?.fields, ["spec.ports"]);
    assert.equal(explanation.reconciles[0]?.error, "CONFLICT: m");
  });

  it("is read without failing if fields are missing", () => {
    assert.deepEqual(readExplanation(undefined).reconciles, []);
    assert.equal(
      readController({ name: "sites", queue: { counts: { waiting: 3 }, waiting: [{ key: "a/b" }] } }).keys[0]?.key,
      "a/b",
    );
    assert.equal(readInformer({ name: "pods", error: { code: "E", message: "m" } }).error, "E: m");
  });
});
