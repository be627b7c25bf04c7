import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { Destination, IncomingRequest } from "@homeostat/proxy";
import { type Decision, headerSource, reportItemsMax } from "@homeostat/routing";
import { Sightings } from "./sightings.ts";

const destination: Destination = { namespace: "shop", service: "cart", kind: "baseline", sandbox: "", workload: "" };
const keyed: Decision = {
  type: "baseline",
  reason: "no-entry",
  key: { key: "k3v9q2m7x1c4d", source: "baggage", name: "routing-key" },
  route: undefined,
};
const keyless: Decision = { type: "baseline", reason: "no-key", key: undefined, route: undefined };

function idOf(last: number, first = 1): string {
  return first.toString(16).padStart(28, "0") + last.toString(16).padStart(4, "0");
}

function requestOf(traceId: string): IncomingRequest {
  return {
    method: "GET",
    path: "/",
    headers: headerSource([["traceparent", `00-${traceId}-b7ad6b7169203331-00`]]),
    clientAddress: "::ffff:10.0.0.7",
    protocol: "http1",
    scheme: "http",
    authority: undefined,
    isUpgrade: false,
    isGrpc: false,
  };
}

describe("Sightings", () => {
  it("reports trace ID, Service, key and client of each request once", async () => {
    const clock = new FakeClock();
    const sightings = new Sightings({ clock, percent: () => 100 });
    const request = requestOf(idOf(7));
    for (const decision of [keyed, keyed, keyless]) sightings.see(request, decision, destination);
    await clock.advance(40);

    const common = { namespace: "shop", service: "cart", traceId: idOf(7), client: "10.0.0.7", agoMs: 40 };
    assert.deepEqual(sightings.take(), [
      { ...common, key: "k3v9q2m7x1c4d" },
      { ...common, key: undefined },
    ]);
    assert.deepEqual(sightings.take(), []);
  });

  it("takes the share of the traces that is asked for, and the same ones in every proxy", () => {
    for (const [percent, expected] of [
      [0, 0],
      [25, 64],
      [100, 256],
    ] as const) {
      const sightings = new Sightings({ clock: new FakeClock(), percent: () => percent });
      for (let last = 0; last < 0x1_0000; last += 256) sightings.see(requestOf(idOf(last)), keyless, destination);
      assert.equal(sightings.take().length, expected);
    }
  });

  it("keeps as many requests as a report may have, and not one more", () => {
    for (const [count, kept] of [
      [reportItemsMax - 1, reportItemsMax - 1],
      [reportItemsMax, reportItemsMax],
      [reportItemsMax + 1, reportItemsMax],
    ] as const) {
      const sightings = new Sightings({ clock: new FakeClock(), percent: () => 100 });
      for (let index = 1; index <= count; index += 1) sightings.see(requestOf(idOf(0, index)), keyless, destination);
      assert.equal(sightings.take().length, kept);
    }
  });

  it("ignores requests without a valid trace ID", () => {
    const sightings = new Sightings({ clock: new FakeClock(), percent: () => 100 });
    sightings.see(requestOf("broken"), keyed, destination);
    sightings.see({ ...requestOf(idOf(1)), headers: headerSource([]) }, keyed, destination);
    assert.deepEqual(sightings.take(), []);
  });
});
