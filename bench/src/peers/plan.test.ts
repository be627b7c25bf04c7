import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modeNames } from "./arguments.ts";
import { planOf } from "./plan.ts";

describe("the plan of a run", () => {
  it("only adds objects, and restarts the server last within a size", () => {
    const plan = planOf({ modes: modeNames, sizes: [10_000, 0, 50_000] });

    assert.deepEqual(
      plan.map(({ mode, objects }) => `${mode} ${objects}`),
      [
        "throughput 0",
        "sync 0",
        "sync 10000",
        "latency 10000",
        "idle 10000",
        "restart 10000",
        "relist 10000",
        "sync 50000",
      ],
    );
  });

  it("contains only the requested modes", () => {
    assert.deepEqual(planOf({ modes: ["idle"], sizes: [500] }), [{ mode: "idle", objects: 500 }]);
  });
});
