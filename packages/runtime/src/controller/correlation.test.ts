import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import { correlate, type ReconcileName } from "./correlation.ts";

const name: ReconcileName = { id: "reconcile-1", controller: "tenants", key: "a/b" };

describe("correlate", () => {
  it("knows the reconcile of code that it calls, also after an await", async () => {
    const correlation = correlate();

    const seen = await correlation.within(name, async () => {
      await Promise.resolve();
      return [correlation.current(), correlation.reconcile()];
    });

    assert.deepEqual(seen, ["reconcile-1", name]);
    assert.equal(correlation.current(), undefined);
  });

  it("keeps concurrent reconciles apart", async () => {
    const correlation = correlate();
    const idAfterAwait = async (): Promise<string | undefined> => {
      await Promise.resolve();
      return correlation.current();
    };

    const ids = await Promise.all(["1", "2"].map((id) => correlation.within({ ...name, id }, idAfterAwait)));

    assert.deepEqual(ids, ["1", "2"]);
  });

  it("does not know reconciles of another correlation", () => {
    const [one, other] = [correlate(), correlate()];

    const seen = one.within(name, () => [one.current(), other.current(), other.reconcile()]);

    assert.deepEqual(seen, ["reconcile-1", undefined, undefined]);
  });

  it("does not slow down promises with each correlation", () => {
    const createPromises = (): void => {
      for (let count = 0; count < 20_000; count += 1) void Promise.resolve(count).then(() => undefined);
    };
    correlate().within(name, createPromises);

    const one = cpuMs(createPromises);
    for (let count = 0; count < 300; count += 1) correlate().within(name, () => undefined);
    const many = cpuMs(createPromises);

    assert.ok(many < 4 * one + 20, `${many} ms with 300 correlations, ${one} ms with one`);
  });
});
