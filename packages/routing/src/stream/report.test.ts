import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseReport, reportItemsMax } from "./report.ts";

const activity = { namespace: "shop", service: "cart", sandboxUid: "u1", agoMs: 0, isWaiting: true };
const sighting = {
  namespace: "shop",
  service: "cart",
  traceId: "0af7651916cd43dd8448eb211c80319c",
  key: "k3v9q2m7x1c4d",
  client: "10.0.0.7",
  agoMs: 20,
};

function problemsOf(value: unknown): string[] {
  return parseReport(value).problems.map(({ field, reason }) => `${field} ${reason}`);
}

describe("parseReport", () => {
  it("reads reports, with defaults for absent fields", () => {
    const report = { proxy: "p1", activity: [activity], sightings: [sighting] };
    assert.deepEqual(parseReport(report), { report, problems: [] });
    const { isWaiting: _, ...plain } = activity;
    assert.deepEqual(parseReport({ proxy: "p1", activity: [plain], added: 1 }).report, {
      proxy: "p1",
      activity: [{ ...activity, isWaiting: false }],
      sightings: [],
    });
  });

  it("names every invalid field", () => {
    assert.deepEqual(problemsOf(7), ["report must be an object"]);
    assert.deepEqual(
      problemsOf({
        activity: [{ ...activity, service: "Cart", agoMs: -1 }, 3],
        sightings: [{ ...sighting, traceId: "0AF7", key: "-" }],
      }),
      [
        "report.proxy is required",
        "report.activity[0].service must be a DNS label",
        "report.activity[0].agoMs must be an integer from 0 to 86400000",
        "report.activity[1] must be an object",
        "report.sightings[0].traceId must have 32 hexadecimal digits in lower case",
        "report.sightings[0].key must be a routing key",
      ],
    );
  });

  it("accepts as many elements as the limit allows, and not one more", () => {
    const of = (length: number): object => ({ proxy: "p1", activity: Array.from({ length }, () => activity) });
    for (const length of [reportItemsMax - 1, reportItemsMax]) assert.deepEqual(problemsOf(of(length)), []);
    assert.deepEqual(problemsOf(of(reportItemsMax + 1)), [
      `report.activity must have at most ${reportItemsMax} elements`,
    ]);
  });
});
