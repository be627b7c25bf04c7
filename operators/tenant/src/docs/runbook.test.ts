import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { phases, reasons } from "../api/status.ts";

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const page = read("docs/reference/tenant-runbook.md");

const missing = (words: Iterable<string>): string[] =>
  [...new Set(words)].filter((word) => !page.includes(`\`${word}\``));

describe("the runbook", () => {
  it("tells about every phase, every condition and every reason", () => {
    assert.deepEqual(missing([...phases, ...Object.keys(reasons), ...Object.values(reasons).flat()]), []);
  });

  it("tells about every event", () => {
    const told = read("operators/tenant/src/reconcile/events.ts").matchAll(/reason: "(\w+)"/g);

    assert.deepEqual(missing([...told].map((match) => match[1] ?? "")), []);
  });

  it("tells about every number, and of none that is not there", () => {
    const source = read("operators/tenant/src/metrics/tenant-metrics.ts");
    const there = new Set([...source.matchAll(/"(neurallog_\w+)"/g)].map((match) => match[1] ?? ""));
    const told = new Set([...page.matchAll(/`(neurallog_\w+)`/g)].map((match) => match[1] ?? ""));

    assert.deepEqual([...told].toSorted(), [...there].toSorted());
  });
});
