import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "@homeostat/core";
import { resultsName as operatorName } from "@homeostat/locust-operator";
import { type LoadPoint, pointColumns } from "../api/load-tests.ts";
import { pointsInCsv, pointsInResponse } from "./read-series.ts";
import { readTest, runsOf, statusPoint } from "./read-test.ts";
import { RunPoints } from "./run-points.ts";
import { resultsName } from "./series-sources.ts";

interface TestObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const test = (status: unknown, spec: unknown = {}): TestObject => ({
  apiVersion: "locust.io/v2",
  kind: "LocustTest",
  metadata: { namespace: "shop", name: "smoke", uid: "u1" },
  spec,
  status,
});

const pointAt = (at: number): LoadPoint => [at, ...pointColumns.slice(1).map(() => 1)];
const timesOf = (points: readonly LoadPoint[] | undefined): unknown => points?.map(([at]) => at);

describe("readTest", () => {
  const thresholds = [
    { metric: "failRatio", max: 0.01 },
    { metric: "p95ResponseTime", name: "buy", max: 500 },
  ];

  it("has the verdict, totals and results of thresholds of the latest run", () => {
    const status = {
      run: 2,
      phase: "Failed",
      result: {
        outcome: "Failed",
        totalRequests: 100,
        p99ResponseTime: 12,
        thresholds: [
          { metric: "failRatio", actual: 0.5, passed: false, limit: "max 0.01" },
          { metric: "p95ResponseTime", passed: true, limit: "max 500", message: "no requests were made" },
        ],
      },
      conditions: [{ type: "TestCompleted", status: "True", message: "Test failed: failRatio" }],
      history: [{ run: 1, phase: "Succeeded", outcome: "Passed", totalRequests: 7 }],
    };

    const read = readTest(test(status, { thresholds }), 2);

    assert.equal(read?.verdict, "Test failed: failRatio");
    assert.deepEqual([read?.totals.requests, read?.totals.p99], [100, 12]);
    assert.deepEqual(
      read?.thresholds.map(({ name, actual, passed, message }) => [name, actual, passed, message]),
      [
        ["Aggregated", 0.5, false, ""],
        ["buy", undefined, true, "no requests were made"],
      ],
    );
    assert.deepEqual(
      read?.runs.map(({ run, outcome }) => [run, outcome]),
      [
        [2, "Failed"],
        [1, "Passed"],
      ],
    );
  });

  it("has no thresholds of an earlier run, and nothing of an unknown one", () => {
    const status = { run: 2, phase: "Running", history: [{ run: 1, outcome: "Passed", p95ResponseTime: 9 }] };

    const earlier = readTest(test(status, { thresholds }), 1);

    assert.deepEqual([earlier?.thresholds, earlier?.totals.p95, earlier?.verdict], [[], 9, ""]);
    assert.equal(readTest(test(status), 3), undefined);
  });

  it("does not mix thresholds of a changed spec with old results", () => {
    const result = { outcome: "Passed", thresholds: [{ metric: "totalRequests", passed: true, limit: "min 1" }] };

    assert.equal(readTest(test({ result }, { thresholds }), 1)?.thresholds[0]?.passed, undefined);
  });

  it("accepts a test without a status", () => {
    assert.deepEqual(
      runsOf(test(undefined)).map(({ run, phase }) => [run, phase]),
      [[1, ""]],
    );
  });
});

describe("statusPoint", () => {
  it("has the present values of the status", () => {
    const progress = { state: "running", lastUpdated: "1970-01-01T00:00:01Z", currentUsers: 3, p95: 7 };

    assert.deepEqual(statusPoint(test({ progress })), [1_000, 3, null, null, null, null, 7, null, null, null]);
    assert.equal(statusPoint(test({ progress: { ...progress, state: "WaitingForWorkers" } })), undefined);
    assert.equal(statusPoint(test({ phase: "Pending" })), undefined);
  });
});

describe("points of the operator and of stored results", () => {
  it("are found by their column names and their run", () => {
    const response = {
      columns: ["at", "p99", "users", "later"],
      runs: [
        { uid: "u0", run: 1, points: [[1, 1, 1, 1]] },
        { uid: "u1", run: 1, points: [[5, 99, 3, 8], ["x", 1], "no row", [6, "wrong", 4]] },
      ],
    };

    const points = pointsInResponse(response, { uid: "u1", run: 1 });

    assert.deepEqual(points?.[0], [5, 3, null, null, null, null, null, 99, null, null]);
    assert.deepEqual(timesOf(points), [5, 6]);
    assert.equal(pointsInResponse(response, { uid: "u1", run: 2 }), undefined);
    assert.equal(pointsInResponse("no object", { uid: "u1", run: 1 }), undefined);
  });

  it("are read from CSV, without a note about a cut file", () => {
    const text = "at,users,p50\n1970-01-01T00:00:02Z,5,\n... truncated: the file is larger than 200 KiB\n";

    assert.deepEqual(pointsInCsv(text), [[2_000, 5, null, null, null, null, null, null, null, null]]);
    assert.deepEqual(pointsInCsv(""), []);
  });

  it("are stored under the name that the operator gives", () => {
    for (const [name, run] of [
      ["smoke", 1],
      ["team-a.load", 3],
    ] as const)
      assert.equal(resultsName(name, run), operatorName(name, run));
  });
});

describe("RunPoints", () => {
  const progress = (seconds: number): unknown => ({
    state: "running",
    currentUsers: 1,
    lastUpdated: `1970-01-01T00:00:0${seconds}Z`,
  });
  const running = (seconds: number, run = 1): TestObject =>
    test({ run, phase: "Running", progress: progress(seconds) });

  it("replaces the values of the status by those of the operator, and follows them", () => {
    const points = new RunPoints({ namespace: "shop", name: "smoke" });

    points.observe(running(1));
    points.observe(running(1));
    assert.deepEqual(timesOf(points.takeChange()?.points), [1_000]);
    points.takeFromOperator("a", [pointAt(200), pointAt(900)]);
    points.observe(running(2));
    assert.deepEqual(points.takeChange(), { points: [pointAt(200), pointAt(900)], isAppended: false });
    assert.equal(points.after, 900);
    points.takeFromOperator("a", [pointAt(1_400)]);

    assert.deepEqual(points.takeChange(), { points: [pointAt(1_400)], isAppended: true });
    assert.deepEqual(timesOf(points.points), [200, 900, 1_400]);
    assert.equal(points.takeChange(), undefined);
  });

  it("starts again with another run or another object", () => {
    const points = new RunPoints({ namespace: "shop", name: "smoke" });
    points.observe(running(1));
    points.takeFromOperator("a", [pointAt(200)]);
    points.takeChange();

    points.observe(running(2, 2));

    assert.equal(points.run, 2);
    assert.deepEqual(timesOf(points.points), [2_000]);
    assert.equal(points.takeChange()?.isAppended, false);
    points.observe(undefined);
    assert.deepEqual([points.isOpen, points.points], [false, []]);
  });

  it("is open until a finished run brings nothing new, or its results were read", () => {
    const finished = test({ run: 1, phase: "Succeeded" });
    const [first, second] = [1, 2].map(() => new RunPoints({ namespace: "shop", name: "smoke" }));
    assert.ok(first !== undefined && second !== undefined);

    first.observe(finished);
    first.takeFromOperator("a", [pointAt(200)]);
    for (let count = 0; count < 2; count += 1) first.takeFromOperator("a", []);
    assert.equal(first.isOpen, true);
    first.takeFromOperator("a", []);
    assert.equal(first.isOpen, false);
    second.observe(finished);
    assert.equal(second.isOpen, true);
    second.takeFromResults([pointAt(3)]);
    second.hasReadResults = true;

    assert.deepEqual([second.isOpen, second.source], [false, "results"]);
  });

  it("shows an earlier run that was asked for", () => {
    const points = new RunPoints({ namespace: "shop", name: "smoke", run: 1 });

    points.observe(running(5, 2));

    assert.deepEqual([points.run, points.isFinished, points.points], [1, true, []]);
  });

  it("requests the whole run again when it has too many points", () => {
    const points = new RunPoints({ namespace: "shop", name: "smoke" });
    points.observe(running(1));
    points.takeFromOperator("a", [pointAt(1)]);

    points.takeFromOperator(
      "a",
      Array.from({ length: 10_000 }, (_, index) => pointAt(2 + index)),
    );

    assert.equal(points.after, undefined);
  });
});
