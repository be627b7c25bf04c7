import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "@homeostat/kubernetes/events/v1";
import { clientEventSink } from "./client-event-sink.ts";

const event: Event = {
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name: "load.1", namespace: "shop" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  note: "The job was created.",
};

describe("clientEventSink", () => {
  it("creates whole events and patches only their series", async () => {
    const calls: unknown[] = [];
    const { signal } = new AbortController();
    const sink = clientEventSink({
      create: (type, object) => {
        calls.push([type.plural, object]);
        return Promise.resolve(object);
      },
      patch: (type, name, change) => {
        calls.push([type.plural, name, change]);
        return Promise.resolve(event);
      },
    });
    const series = { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" };

    await sink.create(event, signal);
    await sink.patch({ ...event, series }, signal);

    assert.deepEqual(calls, [
      ["events", event],
      ["events", { name: "load.1", namespace: "shop" }, { merge: { series } }],
    ]);
    await assert.rejects(sink.patch(event, signal), { code: "ARGUMENT" });
  });
});
