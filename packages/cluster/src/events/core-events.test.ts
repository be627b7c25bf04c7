import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Client, createClient, type Request, type Response } from "@homeostat/client";
import { FakeClock, isRecord } from "@homeostat/core";
import { silentLogger } from "@homeostat/runtime";
import { CoreEvents } from "./core-events.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop", uid: "u" } };

describe("CoreEvents", () => {
  /** Builds a server that records the requests it gets. */
  function server(refuse: (request: Request) => boolean = () => false): {
    events: CoreEvents;
    sent: [string, unknown][];
    clock: FakeClock;
    client: Client;
  } {
    const sent: [string, unknown][] = [];
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 1) });
    const send = (request: Request): Promise<Response> => {
      const body: unknown = JSON.parse(String(request.body));
      sent.push([`${request.method} ${request.path.split("?", 1)[0]}`, body]);
      const isRefused = refuse(request);
      const response = isRefused
        ? { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404, details: { name: "x" } }
        : { apiVersion: "v1", kind: "Event", metadata: { name: "x" }, ...(isRecord(body) ? body : {}) };
      const bytes = Buffer.from(JSON.stringify(response));
      return Promise.resolve({
        status: isRefused ? 404 : 201,
        headers: { "content-type": "application/json" },
        body: {
          cancel: () => undefined,
          async *[Symbol.asyncIterator]() {
            yield bytes;
          },
        },
      });
    };
    const client = createClient({ send });
    return { events: new CoreEvents({ client, clock, log: silentLogger, fieldManager: "test" }), sent, clock, client };
  }

  it("creates an Event with a source, and increases its count when the event repeats", async () => {
    const { events, sent } = server();
    const event = { type: "Normal", reason: "Created", message: "Created pod" } as const;

    events.record("maker", pod, event);
    events.record("maker", pod, event);
    events.record("maker", pod, { ...event, message: "another" });
    await events.flush();

    assert.deepEqual(
      sent.map(([request]) => request.replace(/\.[0-9a-f]+$/, ".N")),
      [
        "POST /api/v1/namespaces/shop/events",
        "PATCH /api/v1/namespaces/shop/events/web.N",
        "POST /api/v1/namespaces/shop/events",
      ],
    );
    const [first, second] = sent.map(([, body]) => (isRecord(body) ? body : {}));
    assert.deepEqual(first?.["source"], { component: "maker" });
    assert.deepEqual(
      [first?.["count"], first?.["firstTimestamp"], first?.["lastTimestamp"], first?.["reportingComponent"]],
      [1, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "maker"],
    );
    assert.deepEqual(second, { count: 2, lastTimestamp: "2026-01-01T00:00:00Z" });
  });

  it("creates the Event again when the API server has deleted it", async () => {
    const { events, sent } = server(({ method }) => method === "PATCH");
    const event = { type: "Normal", reason: "Created", message: "Created pod" } as const;

    events.record("maker", pod, event);
    events.record("maker", pod, event);
    await events.flush();

    assert.deepEqual(
      sent.map(([request]) => request.split(" ", 1)[0]),
      ["POST", "PATCH", "POST"],
    );
  });

  it("limits the events about one object, and allows more over time", async () => {
    const { events, sent, clock } = server();
    const recordMany = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i += 1) events.record("maker", pod, { type: "Normal", reason: "R", message: `${i}` });
      await events.flush();
    };

    await recordMany(100);
    const atOnce = sent.length;
    await clock.advance(300_000);
    await recordMany(100);

    assert.equal(atOnce, 25);
    assert.equal(sent.length, 26);
  });

  it("sends an event that is recorded in any tick after another one", async () => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const { events, sent } = server();

      events.record("maker", pod, { type: "Normal", reason: "First", message: "" });
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      events.record("maker", pod, { type: "Normal", reason: "Second", message: "" });
      await events.flush();

      assert.equal(sent.length, 2, `after ${ticks} ticks`);
    }
  });

  it("names the node of a kubelet and the part of the object", async () => {
    const { client, clock, sent } = server();
    const events = new CoreEvents({ client, clock, log: silentLogger, fieldManager: "kubelet", host: "node-1" });
    const fieldPath = "spec.containers{web}";

    events.of("kubelet").record(pod, { type: "Normal", reason: "Started", message: "Container started", fieldPath });
    await events.flush();

    const body = sent[0]?.[1];
    assert.ok(isRecord(body) && isRecord(body["involvedObject"]));
    assert.deepEqual(body["source"], { component: "kubelet", host: "node-1" });
    assert.deepEqual([body["reportingInstance"], body["involvedObject"]["fieldPath"]], ["node-1", fieldPath]);
  });
});
