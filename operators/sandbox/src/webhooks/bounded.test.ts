import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AdmissionDeniedError } from "homeostat";
import { FakeClock } from "@homeostat/core";
import { responseMsMax, mapBounded, requestsMax, withinDeadline } from "./bounded.ts";

const { signal } = new AbortController();

describe("withinDeadline", () => {
  it("denies the request if the API server does not respond in two seconds", async () => {
    const clock = new FakeClock();
    const work = withinDeadline(
      { clock, signal },
      async (limit) =>
        new Promise((_, reject) => {
          limit.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        }),
    );
    const denied = assert.rejects(work, (error) => {
      assert.ok(error instanceof AdmissionDeniedError);
      assert.deepEqual([error.status, error.reason], [503, "ServiceUnavailable"]);
      assert.match(error.message, /the API server did not respond within 2 seconds; retry the request$/);
      return true;
    });

    await clock.advance(responseMsMax);

    await denied;
    assert.equal(responseMsMax, 2000);
  });

  it("denies the request if the API server fails, without its message, and aborts other requests", async () => {
    let open: AbortSignal | undefined;

    const work = withinDeadline({ clock: new FakeClock(), signal }, async (limit) => {
      open = limit;
      throw new Error("hunter2");
    });

    await assert.rejects(work, (error) => {
      assert.ok(error instanceof AdmissionDeniedError);
      assert.match(error.message, /a request to the API server failed; retry the request$/);
      return true;
    });
    assert.equal(open?.aborted, true);
  });

  it("returns the result of the work", async () => {
    assert.equal(await withinDeadline({ clock: new FakeClock(), signal }, async () => 7), 7);
  });
});

describe("mapBounded", () => {
  it("keeps the order and limits the number of open requests", async () => {
    let open = 0;
    let openMax = 0;

    const results = await mapBounded(
      Array.from({ length: 35 }, (_, index) => index),
      async (item) => {
        open += 1;
        openMax = Math.max(openMax, open);
        await Promise.resolve();
        open -= 1;
        return item * 2;
      },
    );

    assert.deepEqual(results.slice(0, 3), [0, 2, 4]);
    assert.equal(results.length, 35);
    assert.equal(openMax, requestsMax);
    assert.deepEqual(await mapBounded([], async () => 1), []);
  });
});
