import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedRun } from "./shared-run.ts";

describe("SharedRun", () => {
  it("runs once for concurrent callers, and again for later ones", async () => {
    let runs = 0;
    const shared = new SharedRun(() => Promise.resolve((runs += 1)));

    const together = await Promise.all([shared.join(), shared.join(), shared.join()]);
    const later = await shared.join();

    assert.deepEqual(together, [1, 1, 1]);
    assert.equal(later, 2);
  });

  it("lets one caller abort without affecting the others", async () => {
    let finish: (value: string) => void = () => undefined;
    let wasStopped = false;
    const shared = new SharedRun((signal) => {
      signal.addEventListener("abort", () => (wasStopped = true));
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const impatient = new AbortController();
    const reason = new Error("enough");

    const first = shared.join(impatient.signal);
    const second = shared.join();
    impatient.abort(reason);
    await assert.rejects(first, reason);
    finish("done");

    assert.equal(await second, "done");
    assert.equal(wasStopped, false);
  });

  it("aborts the operation when the last caller has left, and starts it again for the next", async () => {
    const stopped: boolean[] = [];
    const shared = new SharedRun(
      (signal) =>
        new Promise<void>((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped.push(true);
            reject(signal.reason);
          });
        }),
    );
    const one = AbortSignal.abort(new Error("before"));
    const two = new AbortController();

    await assert.rejects(shared.join(one), /before/);
    const waiting = shared.join(two.signal);
    two.abort(new Error("later"));
    await assert.rejects(waiting, /later/);

    assert.deepEqual(stopped, [true]);
  });

  it("rejects all callers when the operation fails", async () => {
    const shared = new SharedRun(() => Promise.reject(new Error("broken")));

    const results = await Promise.allSettled([shared.join(), shared.join()]);

    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "rejected"],
    );
  });
});
