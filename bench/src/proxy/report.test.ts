import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatGoal } from "../harness/goals.ts";
import { goalsOf, missedGoals, names, type ProxyResults } from "./goals.ts";
import { formatResults } from "./report.ts";
import { withResults } from "./page.ts";

const results: ProxyResults = {
  small: { [names.newer]: 20, [names.haproxy]: 16, [names.envoy]: 50 },
  large: { [names.newer]: 500, [names.haproxy]: 200 },
  smallLatency: {
    p50: { [names.direct]: 100, [names.newer]: 220, [names.haproxy]: 200 },
    p99: { [names.direct]: 300, [names.newer]: 700, [names.haproxy]: 500 },
  },
  keys: { [names.newer]: 20, [names.many]: 20.5 },
  keysMemory: 70,
  mixed: { minutes: 1, early: 100, late: 120, max: 130 },
};

describe("goals of the proxy benchmark", () => {
  it("compare with the other proxies of the same run", () => {
    const values = goalsOf(results).flatMap(({ item, value }) => (value === undefined ? [] : [[item, value] as const]));

    assert.deepEqual(values, [
      ["HTTP/1.1 1 KiB, capacity to HAProxy", 0.8],
      ["HTTP/1.1 1 KiB, capacity to Envoy", 2.5],
      ["HTTP/1.1 added p50 at 1,000 rps, to HAProxy", 1.2],
      ["1 MiB bodies, capacity to HAProxy", 0.4],
      ["cost of 20,000 keys instead of 1", (20.5 / 20 - 1) * 100],
      ["memory with 20,000 keys", 70],
      ["growth of memory in 1 min of mixed load", (1.2 - 1) * 100].map((each) =>
        typeof each === "number" ? (120 / 100 - 1) * 100 : each,
      ),
    ]);
  });

  it("fail if a value that must be kept is not", () => {
    assert.deepEqual(missedGoals(results).map(formatGoal), [
      "1 MiB bodies, capacity to HAProxy: 0.40, must be at least 0.50",
      "growth of memory in 1 min of mixed load: 20.0 %, must be at most 10.0 %",
    ]);
    assert.deepEqual(missedGoals({}), []);
  });

  it("are written between the comments of the page", () => {
    const page = "# Speed\n\n<!-- begin: npm run bench -- proxy --record -->\nold\n<!-- end -->\n\nrest\n";

    const written = withResults(page, { date: "2026-11-18T01:02:03Z", machine: "2 cores", load: [0.5, 1.5], results });

    assert.ok(written.startsWith("# Speed\n\n<!-- begin"));
    assert.ok(written.endsWith("<!-- end -->\n\nrest\n"));
    assert.ok(!written.includes("old"));
    assert.ok(written.includes("Measured on 2026-11-18 on a machine with 2 cores"));
    assert.ok(written.includes(formatResults(results)));
    assert.match(
      written,
      /\| 1 MiB bodies, capacity to HAProxy \| at least 0.50 \| at least 0.80 \| 0.40 \| missed \|/,
    );
  });
});
