import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient, type Request, type Response } from "@homeostat/client";
import { FakeClock, isRecord, nextTurn } from "@homeostat/core";
import { silentLogger, type Logger } from "@homeostat/runtime";
import { ComponentEvents } from "./component-events.ts";
import { sharedSignals } from "./shared-signal.ts";
import { controlQueue, type WorkResult, processQueue } from "./work.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop", uid: "u" } };

describe("component events", () => {
  /** Builds a server that records the requests it gets. */
  function server(refuse: (request: Request) => boolean = () => false): {
    events: ComponentEvents;
    sent: [string, unknown][];
    clock: FakeClock;
  } {
    const sent: [string, unknown][] = [];
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 1) });
    const send = (request: Request): Promise<Response> => {
      const body: unknown = JSON.parse(String(request.body));
      sent.push([`${request.method} ${request.path.split("?", 1)[0]}`, body]);
      const isRefused = refuse(request);
      const answer = isRefused
        ? { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404, details: { name: "x" } }
        : { apiVersion: "v1", kind: "Event", metadata: { name: "x" }, ...(isRecord(body) ? body : {}) };
      const bytes = Buffer.from(JSON.stringify(answer));
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
    return { events: new ComponentEvents({ client, clock, log: silentLogger }), sent, clock };
  }

  it("creates an Event with a source, and increases its count when the event repeats", async () => {
    const { events, sent } = server();
    const event = { type: "Normal", reason: "Made", message: "it is there" } as const;

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
    const event = { type: "Normal", reason: "Made", message: "it is there" } as const;

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
    const say = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i += 1) events.record("maker", pod, { type: "Normal", reason: "R", message: `${i}` });
      await events.flush();
    };

    await say(100);
    const atOnce = sent.length;
    await clock.advance(300_000);
    await say(100);

    assert.equal(atOnce, 25);
    assert.equal(sent.length, 26);
  });
});

describe("processQueue", () => {
  const working = (work: (key: string) => Promise<WorkResult>, log: Logger = silentLogger) => {
    const clock = new FakeClock();
    const queue = controlQueue("test", clock);
    const stop = new AbortController();
    const running = processQueue({ queue, log }, work, stop.signal);
    return { clock, queue, stop, running };
  };

  it("processes a key once, again after a delay, or again with back-off", async () => {
    const done: string[] = [];
    const { clock, queue, stop, running } = working((key) => {
      done.push(key);
      if (key === "later" && done.length < 4) return Promise.resolve({ afterMs: 1000 });
      if (key === "fails" && done.length < 4) return Promise.reject(new Error("no"));
      return Promise.resolve(undefined);
    });

    for (const key of ["once", "later", "fails"]) queue.add(key);
    await nextTurn();
    await clock.advance(10);
    const soon = [...done];
    await clock.advance(1000);
    stop.abort();
    await running;

    assert.deepEqual(soon, ["once", "later", "fails", "fails"]);
    assert.deepEqual(done, ["once", "later", "fails", "fails", "later"]);
  });

  it("stops on the signal and waits for work in progress", async () => {
    let end: () => void = () => undefined;
    const { queue, stop, running } = working(
      () =>
        new Promise((resolve) => {
          end = () => resolve(undefined);
        }),
    );
    queue.add("a");
    queue.add("b");
    await nextTurn();

    stop.abort();
    end();
    await running;

    assert.equal(queue.isClosed, true);
  });
});

describe("sharedSignals", () => {
  it("returns a signal that aborts with the given one, for the same reason", () => {
    const shared = sharedSignals();
    const given = new AbortController();

    const signal = shared(given.signal);
    given.abort("enough");

    assert.equal(shared(given.signal), signal);
    assert.equal(signal.reason, "enough");
    assert.equal(shared(AbortSignal.abort("before")).reason, "before");
  });
});
