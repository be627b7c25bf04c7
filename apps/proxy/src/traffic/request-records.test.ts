import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import {
  Holds,
  type IncomingRequest,
  type RequestEnd,
  RouteTables,
  TableRouter,
  defaultLimits,
} from "@homeostat/proxy";
import { compileTable, headerSource, KeyReader, type RouteEntry } from "@homeostat/routing";
import { type LogLine, recordingLogger } from "@homeostat/runtime";
import { cartTable } from "../testing/tables.ts";
import { LoggedSandboxes, sandboxesMax } from "./logged-sandboxes.ts";
import type { ProxySpan } from "./proxy-span.ts";
import { RequestRecords } from "./request-records.ts";

const key = "k3v9q2m7x1c4d";
const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function setup(entry: Partial<RouteEntry> = {}, { isTraced = true } = {}) {
  const clock = new FakeClock();
  const random = new SeededRandom(1);
  const lines: LogLine[] = [];
  const spans: ProxySpan[] = [];
  const ends: RequestEnd[] = [];
  const logged = new LoggedSandboxes();
  const records = new RequestRecords({
    clock,
    random,
    log: recordingLogger(lines),
    logged,
    ...(isTraced && { spans: { add: (span) => spans.push(span) } }),
    next: { requestEnded: (end) => ends.push(end), failed: () => undefined },
  });
  const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random });
  tables.swap({ tables: [compileTable(cartTable(entry))] });
  const holds = new Holds({ clock, limits: defaultLimits });
  tables.onChange(() => holds.retryAll());
  const observer = { routed: () => undefined, record: records.record.bind(records) };
  const router = new TableRouter({ tables, listen: 21_000, holds, observer });
  return { clock, lines, spans, ends, logged, records, tables, router };
}

function requestWith(headers: Readonly<Record<string, string>>): IncomingRequest {
  return {
    method: "GET",
    path: "/secret?token=1",
    headers: headerSource(Object.entries(headers)),
    protocol: "http1",
    scheme: "http",
    authority: "cart",
    isUpgrade: false,
    isGrpc: false,
  };
}

const end = { protocol: "http1", method: "GET", status: 200, durationMs: 12.34567, overheadMs: 0.1 } as const;

describe("the access log", () => {
  it("is off, and costs no record", () => {
    const { router, records, lines, ends } = setup({}, { isTraced: false });
    const { destination } = router.route(requestWith({ "x-routing-key": key, traceparent: sampled }));
    records.requestEnded({ ...end, destination });

    assert.equal(destination.record, undefined);
    assert.deepEqual([lines.length, ends.length], [0, 1]);
  });

  it("has a line for each request of a sandbox whose table entry asks for it, without path and headers", () => {
    const { router, records, lines } = setup({ middleware: { accessLog: true } });
    for (const headers of [{ "x-routing-key": key }, { "x-routing-key": "other-key" }, {}]) {
      records.requestEnded({ ...end, destination: router.route(requestWith(headers)).destination });
    }

    assert.equal(lines.length, 1);
    assert.deepEqual(lines[0], {
      level: "info",
      message: "Request",
      namespace: "shop",
      service: "cart",
      method: "GET",
      code: 200,
      durationMs: 12.346,
      destination: "sandbox",
      sandbox: "pr-42",
      workload: "cart",
      reason: "route",
      protocol: "http1",
    });
    assert.doesNotMatch(JSON.stringify(lines), /secret|token|k3v9/);
  });

  it("can be switched on for one sandbox of this proxy, and is limited in their number", () => {
    const { router, records, lines, logged } = setup();
    const request = requestWith({ "x-routing-key": key });
    logged.set("shop/pr-42", true);
    records.requestEnded({ ...end, destination: router.route(request).destination });
    logged.set("shop/pr-42", false);
    records.requestEnded({ ...end, destination: router.route(request).destination });
    assert.equal(lines.length, 1);

    for (let index = 0; index < sandboxesMax - 1; index += 1) logged.set(`shop/pr-${index}`, true);
    assert.equal(logged.set("shop/at", true), true);
    assert.equal(logged.set("shop/above", true), false);
    assert.equal(logged.set("shop/at", true), true);
  });

  it("names the reason of a failure, and the shared labels go to the metrics", () => {
    const { router, records, lines, ends } = setup({ middleware: { accessLog: true } });
    const { destination } = router.route(requestWith({ "x-routing-key": key }));
    records.failed("connect", destination);
    records.requestEnded({ ...end, status: 502, destination });

    assert.equal(lines[0]?.["reason"], "connect");
    assert.equal(ends[0]?.destination, destination.record?.shared);
  });

  it("follows a request that waited", async () => {
    const ports = [{ port: 80, targetService: "fork", targetPort: 80, addresses: [] }];
    const { router, records, lines, tables } = setup({ middleware: { accessLog: true }, holdSeconds: 30, ports });
    const plan = router.route(requestWith({ "x-routing-key": key }));
    if (plan.type !== "hold") throw new Error(plan.type);
    const waiting = plan.wait(new AbortController().signal);
    tables.swap({ tables: [compileTable(cartTable({ middleware: { accessLog: true } }))] });
    records.requestEnded({ ...end, destination: (await waiting).destination });

    assert.equal(lines.length, 1);
  });
});

describe("spans", () => {
  it("are exported for requests whose sender records its trace", () => {
    const { router, records, spans, lines } = setup();
    for (const traceparent of [sampled, sampled.replace(/1$/, "0"), "broken"]) {
      const { destination } = router.route(requestWith({ "x-routing-key": key, traceparent }));
      records.requestEnded({ ...end, destination });
    }

    assert.equal(lines.length, 0);
    assert.equal(spans.length, 1);
    const [span] = spans;
    assert.equal(span?.traceId, "0af7651916cd43dd8448eb211c80319c");
    assert.equal(span.parentId, "b7ad6b7169203331");
    assert.match(span.spanId, /^[1-9a-f][0-9a-f]{15}$/);
    assert.equal(Math.round((span.endedAt - span.startedAt) * 1_000), 12_346);
    assert.deepEqual(span.fields["sandbox.name"], "pr-42");
    assert.doesNotMatch(JSON.stringify(spans), /secret|token/);
  });

  it("of requests to the baseline name the reason", () => {
    const { router, records, spans } = setup();
    const { destination } = router.route(requestWith({ traceparent: sampled }));
    records.requestEnded({ ...end, destination });
    assert.deepEqual(
      [spans[0]?.fields["sandbox.destination"], spans[0]?.fields["sandbox.reason"]],
      ["baseline", "no-key"],
    );
  });
});
