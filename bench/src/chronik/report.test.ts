import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestCounts } from "../operators/audit-log.ts";
import { countReconciles } from "../operators/metrics-page.ts";
import type { SubjectNumbers } from "./measure.ts";
import { componentHost, podAddress } from "./members.ts";
import { exceededLimits, formatNumbers, ratiosOf } from "./report.ts";

function requests(counts: Partial<RequestCounts> = {}): RequestCounts {
  return { reads: 0, lists: 0, writes: 0, events: 0, byKind: {}, ...counts };
}

const good: SubjectNumbers = {
  name: "chronik",
  version: "1",
  clusters: 200,
  creations: [
    { seconds: 1, cpuSeconds: 0.1, requests: requests({ writes: 30 }), settled: requests({ writes: 32, events: 4 }) },
  ],
  unchanged: { reconciles: 2, requests: requests({ reads: 2 }) },
  growths: [{ created: 45, seconds: 10, cpuSeconds: 4.5 }],
  memory: [
    { clusters: 51, rssBytes: 90e6, maxRssBytes: 95e6 },
    { clusters: 200, rssBytes: 150e6, maxRssBytes: 155e6 },
  ],
  peakRssBytes: 200e6,
  idle: { seconds: 60, cpuSeconds: 1.2, reconciles: 200, requests: requests() },
};

const limits: readonly { readonly change: Partial<SubjectNumbers>; readonly message: RegExp }[] = [
  {
    change: { creations: [{ seconds: 1, cpuSeconds: 0.1, requests: requests(), settled: requests({ writes: 61 }) }] },
    message: /^61 requests for a new cluster, limit 60$/,
  },
  {
    change: { creations: [{ seconds: 2.5, cpuSeconds: 0.1, requests: requests(), settled: requests() }] },
    message: /^2\.50 s from creation to Running/,
  },
  {
    change: { unchanged: { reconciles: 2, requests: requests({ lists: 1, byKind: { "LIST pods": 1 } }) } },
    message: /^reconciles of unchanged clusters sent \{"LIST pods":1\}$/,
  },
  { change: { unchanged: { reconciles: 0, requests: requests() } }, message: /^only 0 reconciles were triggered$/ },
  { change: { memory: [{ clusters: 51, rssBytes: 101e6, maxRssBytes: 101e6 }] }, message: /^101\.0 MB at 51 clusters/ },
  {
    change: { memory: [{ clusters: 200, rssBytes: 161e6, maxRssBytes: 161e6 }] },
    message: /^161\.0 MB at 200 clusters/,
  },
  { change: { idle: { ...good.idle, cpuSeconds: 6 } }, message: /^10\.00 % of a core at rest with 200 clusters/ },
  {
    change: { idle: { ...good.idle, requests: requests({ writes: 1, byKind: { "PATCH pods": 1 } }) } },
    message: /^the idle operator sent \{"PATCH pods":1\}$/,
  },
];

describe("limits of the Chronik operator", () => {
  it("accepts numbers within all limits", () => {
    assert.deepEqual(exceededLimits(good), []);
  });

  for (const { change, message } of limits)
    it(`reports ${message.source}`, () => {
      const exceeded = exceededLimits({ ...good, ...change });

      assert.equal(exceeded.length, 1);
      assert.match(exceeded[0] ?? "", message);
    });
});

describe("the table of the Chronik benchmark", () => {
  const peer = {
    ...good,
    name: "peer",
    creations: good.creations.map((one) => ({ ...one, settled: requests({ writes: 64 }) })),
  };

  it("shows the ratio of the Chronik operator to the other", () => {
    const table = formatNumbers([good, peer]);

    assert.match(table, /^\| requests until the operator is quiet \| 32\.0 \| 64\.0 \| 0\.50× \|$/m);
    assert.match(table, /^\| reads per reconcile without a change \| 1\.0 \| 1\.0 \| 1\.00× \|$/m);
    assert.match(table, /^\| CPU seconds of each of 45 clusters at once \| 0\.10 \| 0\.10 \| 1\.00× \|$/m);
  });

  it("has ratios to record, except of numbers that are 0", () => {
    const ratios = ratiosOf([good, peer]);

    assert.equal(ratios["chronik: requests until the operator is quiet, ratio to peer"], 0.5);
    assert.equal(ratios["chronik: writes at rest, ratio to peer"], undefined);
    assert.deepEqual(ratiosOf([good]), {});
  });
});

describe("readings of the Chronik benchmark", () => {
  it("adds the reconciles of all controllers and results", () => {
    const page = [
      'controller_runtime_reconcile_total{controller="a",result="success"} 3',
      'controller_runtime_reconcile_total{controller="a",result="error"} 1',
      'controller_runtime_reconcile_errors_total{controller="a"} 1',
    ].join("\n");

    assert.equal(countReconciles(page), 4);
    assert.throws(() => countReconciles(""), /no number of reconciles/);
  });

  it("gives every member an address that contains its cluster and its id", () => {
    assert.equal(podAddress("c300-controller-2"), "10.65.44.3");
    assert.equal(podAddress("c300-ingest-0"), "10.65.44.65");
    assert.equal(podAddress("c300-search-6f9-x2b"), "10.65.44.129");
    assert.equal(componentHost(podAddress("c300-controller-2")), "127.65.44.3");
  });
});
