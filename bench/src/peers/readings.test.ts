import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { summariseHeap } from "./heap-summary.ts";
import { cpuTicks, memoryOf } from "./proc.ts";
import { countsOf } from "./server-metrics.ts";
import { newWidget } from "./widget.ts";

describe("readings of a process", () => {
  it("count ticks after a name with spaces and parentheses", () => {
    const stat = "17 (a (b) c) S 1 17 17 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 12345 1000 200";

    assert.equal(cpuTicks(stat), 300);
  });

  it("include resident memory and its peak", () => {
    const status = "Name:\tnode\nVmHWM:\t  2000 kB\nVmRSS:\t  1000 kB\nThreads:\t4\n";

    assert.deepEqual(memoryOf(status), { rssBytes: 1_024_000, peakRssBytes: 2_048_000 });
  });
});

describe("readings of a kube-apiserver", () => {
  it("count requests, conflicts and sent objects", () => {
    const metrics = [
      "# HELP apiserver_request_total Counter",
      'apiserver_request_total{code="201",resource="widgets",verb="POST"} 10',
      'apiserver_request_total{code="409",resource="configmaps",verb="POST"} 2',
      'apiserver_request_total{code="200",resource="widgets",verb="WATCH"} 5',
      'apiserver_request_total{code="200",resource="leases",verb="PUT"} 100',
      'apiserver_response_sizes_sum{resource="widgets",verb="LIST"} 4000',
      'apiserver_watch_events_sizes_sum{group="bench",resource="widgets"} 500',
      'apiserver_watch_events_total{group="bench",resource="widgets"} 3',
      'apiserver_cache_list_returned_objects_total{group="bench",resource="widgets"} 20',
      'apiserver_cache_list_returned_objects_total{group="",resource="pods"} 70',
      "garbage",
    ].join("\n");

    assert.deepEqual(countsOf(metrics), { requests: 12, conflicts: 2, objectsSent: 23, bytesSent: 4500 });
  });
});

describe("summariseHeap", () => {
  it("sums sizes by kind, largest first", () => {
    const snapshot = {
      snapshot: { meta: { node_fields: ["type", "name", "self_size"], node_types: [["string", "object"], "string"] } },
      nodes: [0, 0, 1024, 1, 1, 2048, 1, 1, 2048],
      strings: ["text", "Widget"],
    };

    const lines = summariseHeap(JSON.stringify(snapshot)).split("\n");

    assert.match(lines[0] ?? "", /5 KB in total/);
    assert.match(lines[1] ?? "", /4 KB +2 × object Widget/);
    assert.match(lines[2] ?? "", /1 KB +1 × string/);
  });
});

describe("the Widgets of the benchmark", () => {
  it("have a spec of 2 KB and differ from each other", () => {
    const [one, two] = [newWidget(1, "a"), newWidget(2, "a")].map((widget) => JSON.stringify(widget));

    const { spec } = JSON.parse(one ?? "") as { spec: unknown };
    const bytes = Buffer.byteLength(JSON.stringify(spec));

    assert.ok(bytes > 1900 && bytes < 2100, `${bytes} bytes`);
    assert.notEqual(one?.replaceAll("000001", "000002"), two);
  });
});
