import type { TimelineEntry } from "@homeostat/operator";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exitCodeOfVerdict, rehearsalJson, resultLines, TimelineText } from "./output.ts";
import type { RehearsalResult } from "./run-rehearsal.ts";

const created = (atMs: number, kind: string, name: string): TimelineEntry => ({
  atMs,
  topic: "create",
  text: `${kind} ${name}`,
  data: { kind, name },
});
const finished: RehearsalResult = { verdict: "finished", durationMs: 61_000, reasons: [], refusals: [], summary: [] };

describe("the output of a rehearsal", () => {
  it("has one line per entry, and one for objects of a kind that were created together", () => {
    const lines: string[] = [];
    const text = new TimelineText((line) => void lines.push(line));

    text.add(created(0, "Role", "a"));
    text.add(created(100, "Service", "a"));
    text.add(created(200, "Role", "b"));
    text.add({ atMs: 61_000, topic: "change", text: "Role a", details: ["rules: 1 -> 2"] });
    text.add(created(62_000, "Role", "c"));
    text.end();

    assert.deepEqual(lines, [
      "+0s      create     Role a, b",
      "+0s      create     Service a",
      "+1m1s    change     Role a",
      "                      rules: 1 -> 2",
      "+1m2s    create     Role c",
    ]);
  });

  it("ends with the summary and the verdict", () => {
    const summary = [{ name: "restarts", text: "2: a, b", value: 2 }];

    assert.deepEqual(resultLines({ ...finished, summary }), [
      "duration  1m1s",
      "restarts  2: a, b",
      "",
      "Finished: the change is complete after 1m1s.",
    ]);
  });

  it("lists every problem of refused manifests", () => {
    const refusals = [
      { source: "new.yaml: ChronikCluster a", field: "spec.size", message: "Invalid value" },
      { source: "new.yaml: ChronikCluster a", field: "", message: "unknown field" },
    ];

    assert.deepEqual(resultLines({ ...finished, verdict: "refused", refusals }), [
      "  new.yaml: ChronikCluster a: spec.size: Invalid value",
      "  new.yaml: ChronikCluster a: unknown field",
      "Refused: the API server rejects the manifests because of 2 problems.",
    ]);
  });

  it("says why a change is not finished, and exits with 1", () => {
    for (const verdict of ["blocked", "failed", "unfinished"] as const) {
      const lines = resultLines({ ...finished, verdict, reasons: ["gate Manual is closed"] });

      assert.equal(lines.at(-2), "  gate Manual is closed");
      assert.equal(exitCodeOfVerdict(verdict), 1);
    }
    assert.equal(exitCodeOfVerdict("refused"), 1);
    assert.equal(exitCodeOfVerdict("finished"), 0);
    assert.equal(exitCodeOfVerdict("interrupted"), 130);
  });

  it("is also available as JSON", () => {
    const input = {
      kind: "ChronikCluster",
      namespace: "a",
      name: "b",
      old: undefined,
      new: "new.yaml",
      startedAt: "now",
    };

    const value: unknown = JSON.parse(rehearsalJson(input, ["a note"], [created(1_500, "Role", "a")], finished));

    assert.deepEqual(value, {
      kind: "ChronikCluster",
      namespace: "a",
      name: "b",
      new: "new.yaml",
      startedAt: "now",
      notes: ["a note"],
      timeline: [{ atSeconds: 1.5, topic: "create", text: "Role a", data: { kind: "Role", name: "a" } }],
      summary: [],
      refusals: [],
      reasons: [],
      verdict: "finished",
      durationSeconds: 61,
      exitCode: 0,
    });
  });
});
