import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propertyRuns } from "@homeostat/fuzz";
import * as fc from "fast-check";
import { tryHistories } from "../testing/queue-history.ts";
import { WorkQueue } from "./work-queue.ts";

describe("WorkQueue compared with a model", () => {
  it("behaves like the model in ten thousand random histories", () => {
    const result = tryHistories(WorkQueue, { numRuns: propertyRuns(10_000) });

    assert.ok(!result.failed, fc.defaultReportMessage(result));
    assert.equal(result.numRuns, propertyRuns(10_000));
  });
});
