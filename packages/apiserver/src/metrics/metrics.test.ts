import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../server/api-server.ts";
import { anonymousUser } from "../auth/user.ts";
import { ask, requestOf, watch } from "../testing/ask.ts";
import { standardOptions } from "../server/standard-options.ts";
import { exposition, Histogram, numberText } from "./exposition.ts";
import { RequestMetrics } from "./request-metrics.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map: JsonRecord = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

function newServer(clock = new FakeClock({ now: Date.parse("2026-01-02T03:04:05Z") })): ApiServer {
  return new ApiServer(standardOptions({ clock, random: new SeededRandom(1) }));
}

/** Returns the lines of `/metrics` that begin with a text. */
async function lines(server: ApiServer, start: string): Promise<string[]> {
  const { text } = await ask(server, { path: "/metrics" });
  return text.split("\n").filter((line) => line.startsWith(start));
}

describe("/metrics", () => {
  it("counts requests by verb, resource, scope and code", async () => {
    await using server = newServer();
    await ask(server, { method: "POST", path: maps, body: map });
    await ask(server, { method: "POST", path: maps, body: map });
    await ask(server, { method: "POST", path: `${maps}?dryRun=All`, body: { ...map, metadata: { name: "b" } } });
    await ask(server, { path: `${maps}/a` });
    await ask(server, { path: maps });
    await ask(server, { path: "/healthz" });
    await ask(server, { path: "/apis/nothing.example/v1/things" });

    const counted = await lines(server, "apiserver_request_total");

    const of = (code: number, dryRun: string, scope: string, verb: string): string =>
      `apiserver_request_total{code="${code}",component="apiserver",dry_run="${dryRun}",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"} 1`;
    assert.deepEqual(counted, [
      of(201, "", "resource", "POST"),
      of(409, "", "resource", "POST"),
      of(201, "All", "resource", "POST"),
      of(200, "", "resource", "GET"),
      of(200, "", "namespace", "LIST"),
      'apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""} 1',
    ]);
  });

  it("measures the duration of requests and shows running watches", async () => {
    await using server = newServer();
    const abort = new AbortController();
    const events = watch(server, { path: `${maps}?watch=1` }, abort.signal);
    const first = events.next();
    await ask(server, { method: "POST", path: maps, body: map });
    await first;

    const running = await lines(server, "apiserver_longrunning_requests");
    abort.abort();
    await events.return();
    const after = await lines(server, "apiserver_longrunning_requests");
    const count = await lines(server, "apiserver_request_duration_seconds_count");

    const labels =
      'component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"';
    assert.deepEqual(running, [`apiserver_longrunning_requests{${labels}} 1`]);
    assert.deepEqual(after, []);
    assert.ok(count.some((line) => line.includes('verb="WATCH"') && line.endsWith(" 1")));
  });

  it("shows stored objects, writes, flows and the process", async () => {
    await using server = newServer();
    await ask(server, { method: "POST", path: maps, body: map });

    const { text } = await ask(server, { path: "/metrics" });

    for (const line of [
      'apiserver_resource_objects{group="",resource="configmaps"} 3',
      'apiserver_storage_objects{resource="configmaps"} 3',
      'etcd_requests_total{group="",operation="create",resource="configmaps"} 3',
      'apiserver_flowcontrol_dispatched_requests_total{flow_schema="exempt",priority_level="exempt"} 2',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
      "process_start_time_seconds 1.767323045e+09",
    ]) {
      assert.ok(text.split("\n").includes(line), line);
    }
  });
});

describe("RequestMetrics", () => {
  it("keeps a bounded number of series", async () => {
    await using server = newServer();
    await server.ready();
    const metrics = new RequestMetrics({ kinds: server.kinds, clock: new FakeClock({ now: 0 }), seriesMax: 2 });
    const { signal } = new AbortController();

    for (const path of [maps, "/api/v1/pods", "/api/v1/secrets", maps]) {
      const admitted = {
        request: requestOf({ path }),
        signal,
        user: anonymousUser,
        warn: () => undefined,
        parts: server.tools,
      };
      await metrics.observe(admitted, async () => ({ status: 200, body: "" }));
    }

    const total = metrics.families().find(({ name }) => name === "apiserver_request_total");
    assert.deepEqual(
      total?.samples.map(({ value }) => value),
      [2, 1],
    );
  });
});

describe("debug pages", () => {
  it("show the results of health checks", async () => {
    await using server = newServer();

    const { text, type } = await ask(server, { path: "/metrics/slis" });

    assert.match(type, /^text\/plain; version=0\.0\.4/);
    assert.ok(text.includes('kubernetes_healthcheck{name="etcd",type="readyz"} 1\n'));
  });

  it("show the start time and the flags, as plain text only", async () => {
    const clock = new FakeClock({ now: Date.parse("2026-01-02T03:04:05Z") });
    await using server = newServer(clock);
    await server.ready();
    await clock.advance(3_725_000);

    const status = await ask(server, { path: "/statusz" });
    const flags = await ask(server, { path: "/flagz", headers: { accept: "text/plain" } });
    const refused = await ask(server, { path: "/flagz", headers: { accept: "application/json" } });

    assert.match(status.text, /\nStarted: {2}Fri Jan {2}2 03:04:05 UTC 2026\nUp: {2}1 hr 02 min 05 sec\n/);
    assert.match(flags.text, /\nservice-cluster-ip-range 10\.96\.0\.0\/12\n/);
    assert.equal(refused.status, 406);
  });

  it("show priority levels in aligned columns", async () => {
    await using server = newServer();
    const path = "/debug/api_priority_and_fairness";

    const levels = await ask(server, { path: `${path}/dump_priority_levels` });
    const queues = await ask(server, { path: `${path}/dump_queues` });
    const absent = await ask(server, { path: `${path}/absent` });

    const [head = "", , exempt = ""] = levels.text.split("\n");
    assert.match(head, /^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, /);
    assert.match(exempt, /^exempt, {12}0, {12}false, {2}false, {7}0, {15}1, /);
    assert.equal(queues.text.split("\n").length, 1 + 64 * 2 + 16 + 128 * 3 + 1);
    assert.equal(absent.status, 404);
  });
});

describe("exposition", () => {
  it("formats numbers, labels and histograms as Go does", () => {
    const histogram = new Histogram([0.1, 1e6]);
    histogram.observe(0.05);
    histogram.observe(5);

    const text = exposition([
      { name: "h", type: "histogram", help: "Help.", samples: histogram.samples([["a", 'b"\n']]) },
    ]);

    assert.deepEqual([1e6, 39_813_120, 0.25, 12].map(numberText), ["1e+06", "3.981312e+07", "0.25", "12"]);
    assert.equal(
      text,
      [
        "# HELP h Help.",
        "# TYPE h histogram",
        'h_bucket{a="b\\"\\n",le="0.1"} 1',
        'h_bucket{a="b\\"\\n",le="1e+06"} 2',
        'h_bucket{a="b\\"\\n",le="+Inf"} 2',
        'h_sum{a="b\\"\\n"} 5.05',
        'h_count{a="b\\"\\n"} 2',
        "",
      ].join("\n"),
    );
  });
});
