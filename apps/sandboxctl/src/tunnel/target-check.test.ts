import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { PortState } from "@homeostat/tunnel";
import { TargetCheck } from "./target-check.ts";

describe("the check of local ports", () => {
  it("reports changes only, and takes connections from the cluster as checks", async () => {
    const clock = new FakeClock();
    let state: PortState = "refused";
    let probes = 0;
    const reported: string[] = [];
    using check = new TargetCheck({
      clock,
      ports: [{ name: "http", host: "127.0.0.1", port: 1 }],
      probe: async () => {
        probes += 1;
        return state;
      },
      onState: (name, is) => void reported.push(`${name} ${is}`),
    });

    check.start();
    await clock.advance(10_000);
    assert.deepEqual(reported, ["http refused"]);
    assert.ok(probes >= 5, String(probes));

    state = "listening";
    await clock.advance(2_000);
    assert.deepEqual(reported, ["http refused", "http listening"]);
    check.note("http", "refused");
    assert.deepEqual(reported.at(-1), "http refused");
  });
});
