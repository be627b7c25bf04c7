import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LoadPoint, pointColumns, type ThresholdView } from "../api/load-tests.ts";
import {
  comparedData,
  describeChart,
  extremes,
  formatNumber,
  formatValue,
  knownTotals,
  limitLines,
  loadCharts,
  runData,
  runsCsv,
} from "./load-charts.ts";
import { rotationTexts } from "./rotation.ts";
import { readRoute } from "./routes.ts";
import { comparePath, formatRunRef, readRunRef } from "./run-refs.ts";

const point = (at: number, values: Partial<Record<(typeof pointColumns)[number], number>> = {}): LoadPoint => [
  at,
  ...pointColumns.slice(1).map((column) => values[column] ?? null),
];

describe("charts of load tests", () => {
  it("have the values of a run over the time of day", () => {
    const points = [point(1_000, { p50: 5, p99: 9 }), point(2_500, { p50: 6 })];

    assert.deepEqual(runData(points, ["p50", "p95", "p99"]), {
      x: [1, 2.5],
      lines: [
        [5, 6],
        [null, null],
        [9, null],
      ],
    });
  });

  it("have the values of several runs over the time since their start", () => {
    const first = [point(10_000, { users: 1 }), point(12_000, { users: 2 })];
    const second = [point(70_000, { users: 3 }), point(71_000, { users: 4 }), point(72_020, { users: 5 })];

    assert.deepEqual(comparedData([first, second, []], "users"), {
      x: [0, 1, 2],
      lines: [
        [1, null, 2],
        [3, 4, 5],
        [null, null, null],
      ],
    });
  });

  it("align 10,000 points of six runs in little time", () => {
    const runs = Array.from({ length: 6 }, (_, run) =>
      Array.from({ length: 10_000 }, (_unused, index) => point(index * 1_000 + run * 100, { users: index })),
    );

    const { x, lines } = comparedData(runs, "users");

    assert.deepEqual([x.length, lines.length, lines[5]?.at(-1)], [10_000, 6, 9_999]);
  });

  it("show thresholds of all requests in the chart with their unit", () => {
    const threshold = (metric: string, limits: Partial<ThresholdView>): ThresholdView => ({
      metric,
      name: "Aggregated",
      message: "",
      ...limits,
    });
    const thresholds = [
      threshold("failRatio", { max: 0.01 }),
      threshold("p95ResponseTime", { max: 500 }),
      threshold("p95ResponseTime", { name: "buy", max: 900 }),
      threshold("requestsPerSecond", { min: 10, max: 20 }),
      threshold("totalRequests", { min: 1 }),
    ];

    const lines = loadCharts.flatMap((chart) =>
      limitLines(chart, thresholds).map(({ label, value }) => [chart.title, label, value]),
    );

    assert.deepEqual(lines, [
      ["Requests per second", "requestsPerSecond min 10", 10],
      ["Requests per second", "requestsPerSecond max 20", 20],
      ["Failed requests", "failRatio max 1", 1],
      ["Response times", "p95ResponseTime max 500", 500],
    ]);
  });

  it("have a description with the latest and largest values", () => {
    const text = describeChart(
      { title: "Response times", unit: "ms" },
      {
        lines: [[1, 30, 20, null], []],
        labels: ["p50", "p95"],
        limits: [{ label: "p95ResponseTime max 500", value: 500 }],
      },
    );

    assert.equal(
      text,
      "Response times. p50: latest 20 ms, largest 30 ms; p95: latest -, largest -; threshold p95ResponseTime max 500.",
    );
    assert.deepEqual(extremes([null]), { latest: undefined, largest: undefined });
  });

  it("format numbers with few digits", () => {
    assert.deepEqual([0.123_4, 99.5, 1_234.5, undefined, null].map(formatNumber), ["0.12", "99.5", "1,235", "-", "-"]);
    assert.deepEqual([formatValue(3, "ms"), formatValue(undefined, "ms"), formatValue(3, "")], ["3 ms", "-", "3"]);
  });

  it("complete totals with the points, and never replace them", () => {
    const points = [point(0, { users: 9 }), point(1, { users: 2, requests: 50, failPercent: 4, p99: 7 })];

    assert.deepEqual(knownTotals({ requests: 51 }, points), {
      requests: 51,
      failures: undefined,
      failRatio: 0.04,
      p99: 7,
      peakUsers: 9,
    });
    assert.equal(knownTotals({}, []).peakUsers, undefined);
  });
});

describe("runsCsv", () => {
  it("has one line for each point of each run", () => {
    const runs = [
      { namespace: "shop", name: "smoke", run: 1, points: [point(0, { users: 2, p95: 1.5 })] },
      { namespace: "shop", name: "smoke", run: 2, points: [point(1_000)] },
    ];

    assert.equal(
      runsCsv(runs),
      [
        `run,${pointColumns.join(",")}`,
        "shop/smoke@1,1970-01-01T00:00:00.000Z,2,,,,,1.5,,,",
        "shop/smoke@2,1970-01-01T00:00:01.000Z,,,,,,,,,",
        "",
      ].join("\r\n"),
    );
  });
});

describe("references to runs", () => {
  it("are read as they are written", () => {
    for (const ref of [
      { namespace: "shop", name: "a.b", run: 12 },
      { namespace: "shop", name: "smoke", run: undefined },
    ])
      assert.deepEqual(readRunRef(formatRunRef(ref)), ref);
    for (const text of ["smoke", "shop/", "shop/smoke@0", "shop/smoke@x", "shop/a/b", "SHOP/smoke"])
      assert.equal(readRunRef(text), undefined, text);
  });

  it("are the query of the page that compares them", () => {
    const tests = [
      { namespace: "shop", name: "a", run: 1 },
      { namespace: "shop", name: "b", run: undefined },
    ];
    const { pathname, search } = new URL(comparePath(tests), "http://localhost");

    assert.deepEqual(readRoute(pathname, search), { page: "compare", tests });
    assert.deepEqual(readRoute("/compare", "?test=wrong"), { page: "compare", tests: [] });
    assert.equal(comparePath([]), "/compare");
  });
});

describe("rotationTexts", () => {
  const now = Date.UTC(2026, 10, 18);
  const texts = (security: unknown, redisCredentials: unknown): unknown =>
    Object.values(rotationTexts({ spec: { redis: { security } }, status: { redisCredentials } }, now));
  const done = { step: "done", lastRotationTime: "2026-11-08T00:00:00Z" };

  it("has the age of the password and the time of the next rotation", () => {
    const interval = { rotation: { interval: "720h" } };

    assert.deepEqual(texts(interval, done), ["Rotated 10 d ago", "Next rotation in 20 d", ""]);
    assert.deepEqual(texts({ rotation: { interval: "24h" } }, done), ["Rotated 10 d ago", "Next rotation now", ""]);
    assert.deepEqual(texts(interval, { ...done, step: "overlap" }), [
      "Rotated 10 d ago",
      "",
      "A rotation is in progress: step overlap.",
    ]);
  });

  it("says why no rotation is planned", () => {
    assert.deepEqual(texts(undefined, undefined), [
      "Never rotated",
      "No rotation is scheduled. Set spec.redis.security.rotation.interval.",
      "",
    ]);
    assert.deepEqual(texts({ authSecret: { name: "given" } }, done), [
      "Rotated 10 d ago",
      "The password changes with Secret given.",
      "",
    ]);
    assert.deepEqual(texts({ enabled: false }, done), ["Rotated 10 d ago", "The Redis has no password.", ""]);
  });
});
