import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestCounts } from "../operators/audit-log.ts";
import { loadPage, withResults } from "./page.ts";
import { exceededLimits, formatNumbers, type SandboxNumbers } from "./report.ts";
import { workOf } from "./work-requests.ts";

function requests(byKind: Readonly<Record<string, number>> = {}): RequestCounts {
  const sum = (prefix: RegExp): number =>
    Object.entries(byKind).reduce((total, [kind, count]) => (prefix.test(kind) ? total + count : total), 0);
  return { reads: sum(/^GET/), lists: sum(/^LIST/), writes: sum(/^P/), events: sum(/^event/), byKind };
}

const memory = { rssBytes: 150e6, maxRssBytes: 170e6 };
const creation = {
  existing: 1,
  applied: 0.1,
  published: 0.4,
  ready: 2.5,
  cpuSeconds: 0.1,
  reconciles: 10,
  requests: requests({ "PATCH sandboxes/status": 4, "POST services": 1, event: 4 }),
};
const numbers: SandboxNumbers = {
  sandboxes: 500,
  namespaces: 10,
  podReadySeconds: 2,
  creations: [creation],
  unchanged: { reconciles: 500, cpuSeconds: 1, requests: requests() },
  growth: { created: 489, seconds: 60, reconciles: 3000, cpuSeconds: 20, requests: requests() },
  change: { reconciles: 3, cpuSeconds: 0.1, requests: requests({ "PATCH deployments": 1 }) },
  memory,
  peakRssBytes: 200e6,
  idle: { seconds: 60, cpuSeconds: 0.3, reconciles: 0, requests: requests({ "GET secrets": 1, "GET configmaps": 1 }) },
  restarts: {
    rounds: [
      { leadingSeconds: 2, reconciledSeconds: 40, cpuSeconds: 4 },
      { leadingSeconds: 2, reconciledSeconds: 6, cpuSeconds: 4 },
    ],
    requests: requests({ "LIST sandboxes": 1, "POST selfsubjectaccessreviews": 54 }),
    isUnchanged: true,
    memory,
  },
  compileCosts: [
    { sandboxes: 10, changed: 10, tablesMax: 2, cpuMicroseconds: 100 },
    { sandboxes: 5000, changed: 5000, tablesMax: 2, cpuMicroseconds: 180 },
    { sandboxes: 5000, changed: 10, tablesMax: 2, cpuMicroseconds: 110 },
  ],
};

describe("the limits of the sandbox operator", () => {
  it("accept good numbers", () => assert.deepEqual(exceededLimits(numbers), []));

  const { restarts, idle, unchanged } = numbers;
  const cases: readonly { change: Partial<SandboxNumbers>; message: string }[] = [
    { change: { memory: { ...memory, rssBytes: 161e6 } }, message: "161.0 MB at rest, limit 160.0 MB" },
    {
      change: { restarts: { ...restarts, memory: { ...memory, rssBytes: 161e6 } } },
      message: "161.0 MB after a restart, limit 160.0 MB",
    },
    { change: { idle: { ...idle, cpuSeconds: 6.6 } }, message: "0.110 of a core at rest, limit 0.1" },
    {
      change: { idle: { ...idle, requests: requests({ "GET rollouts": 1 }) } },
      message: "the idle operator sent 1 GET rollouts",
    },
    {
      change: { restarts: { ...restarts, rounds: [{ leadingSeconds: 2, reconciledSeconds: 31, cpuSeconds: 4 }] } },
      message: "a restart took 31.0 s, limit 30 s",
    },
    {
      change: { restarts: { ...restarts, requests: requests({ "PATCH sandboxes/status": 1 }) } },
      message: "a restart sent 1 PATCH sandboxes/status",
    },
    {
      change: { restarts: { ...restarts, isUnchanged: false } },
      message: "objects have another version after a restart",
    },
    {
      change: { creations: [{ ...creation, requests: requests({ "PATCH sandboxes/status": 13 }) }] },
      message: "13 requests for a new sandbox, limit 11",
    },
    { change: { creations: [{ ...creation, ready: 5.1 }] }, message: "a sandbox was ready after 5.10 s, limit 5 s" },
    {
      change: { unchanged: { ...unchanged, requests: requests({ "LIST pods": 2 }) } },
      message: "reconciles of unchanged sandboxes sent 2 LIST pods",
    },
    { change: { unchanged: { ...unchanged, reconciles: 499 } }, message: "only 499 reconciles were triggered" },
    {
      change: {
        compileCosts: [
          { sandboxes: 10, changed: 10, tablesMax: 2, cpuMicroseconds: 100 },
          { sandboxes: 5000, changed: 10, tablesMax: 2, cpuMicroseconds: 250 },
        ],
      },
      message: "a change costs 2.50 times as much with most sandboxes",
    },
    {
      change: { compileCosts: [{ sandboxes: 10, changed: 10, tablesMax: 5, cpuMicroseconds: 100 }] },
      message: "a change of two forks changed 5 tables with 10 sandboxes",
    },
  ];
  for (const { change, message } of cases) {
    it(`report: ${message}`, () => assert.deepEqual(exceededLimits({ ...numbers, ...change }), [message]));
  }
});

describe("the page about the performance of the sandbox operator", () => {
  const results = {
    date: "2026-11-18T00:00:00.000Z",
    machine: { cpu: "any", cores: 2, memoryBytes: 1 },
    node: "24.0.0",
    load: { before: [1, 2, 3], after: [4, 5, 6] },
    numbers,
  };

  it("has a part for the results, and nothing else changes when they are recorded", () => {
    const page = loadPage();

    const recorded = withResults(page, results);

    assert.ok(recorded.includes(formatNumbers(numbers)));
    assert.match(recorded, /Measured on 2026-11-18 with Node 24\.0\.0 .* \(load average 2\.0 before, 5\.0 after\)/);
    const [begin, end] = [/^[\s\S]*<!-- begin/, /<!-- end[\s\S]*$/];
    assert.equal(begin.exec(recorded)?.[0], begin.exec(page)?.[0]);
    assert.equal(end.exec(recorded)?.[0], end.exec(page)?.[0]);
    assert.equal(withResults(recorded, results), recorded);
  });

  it("cannot be recorded without that part", () => {
    assert.throws(() => withResults("# Page", results), /no part between/);
  });
});

describe("workOf", () => {
  it("counts the requests for sandboxes, not those of the background, which may fall into any creation", () => {
    assert.equal(workOf(requests({ "PATCH sandboxes": 1, "GET routetables": 1, "GET secrets": 1, event: 4 })), 2);
  });
});
