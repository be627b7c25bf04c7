import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { costsOf, costTable, suiteOf } from "./costs.ts";

describe("costsOf", () => {
  it("joins wall times with the notes of the same file", () => {
    const notes = [
      { file: "a.js", clusterMs: 3000 },
      { file: "a.js", clusterMs: 4000 },
      { file: "a.js", cpuMs: 9000 },
      { file: "other.js", cpuMs: 1 },
    ];

    const costs = costsOf(new Map([["a.ts", 20_000]]), notes, (file) => file.replace(".js", ".ts"));

    assert.deepEqual([...costs], [["a.ts", { wallMs: 20_000, cpuMs: 9000, clusterMs: 7000, clusters: 2 }]]);
  });

  it("counts only the last run of a file that ran twice", () => {
    const run = [
      { file: "a.js", clusterMs: 3000 },
      { file: "a.js", cpuMs: 9000 },
    ];

    const costs = costsOf(new Map([["a.js", 20_000]]), [...run, ...run], (file) => file);

    assert.deepEqual(costs.get("a.js"), { wallMs: 20_000, cpuMs: 9000, clusterMs: 3000, clusters: 1 });
  });

  it("leaves the CPU time undefined for a file that wrote no note", () => {
    const costs = costsOf(new Map([["a.ts", 5]]), [], (file) => file);

    assert.equal(costs.get("a.ts")?.cpuMs, undefined);
  });
});

describe("costTable", () => {
  it("lists the slowest file first and adds up each suite", () => {
    const cost = { cpuMs: 1000, clusterMs: 0, clusters: 0 };

    const table = costTable(
      new Map([
        ["e2e/src/a/one.test.ts", { ...cost, wallMs: 1000 }],
        ["e2e/src/a/two.test.ts", { ...cost, wallMs: 2000 }],
      ]),
    );

    assert.ok(table.indexOf("two.test.ts") < table.indexOf("one.test.ts"), table);
    assert.match(table, /3\.0 +2\.0 +e2e\/a\n/);
    assert.match(table, /3\.0 +2\.0 +sum$/);
  });
});

describe("suiteOf", () => {
  it("names the folder of an e2e suite and the package of a unit test", () => {
    assert.equal(suiteOf("e2e/src/packages/apiserver/crd/objects.test.ts"), "e2e/packages/apiserver/crd");
    assert.equal(suiteOf("e2e/src/guides/teams.test.ts"), "e2e/guides");
    assert.equal(suiteOf("packages/core/src/json/merge.test.ts"), "packages/core");
  });
});
