import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import { aGroup, aSandbox, aService } from "../testing/route-views.ts";
import { RouteCompiler } from "./compiler.ts";

const changes = 2000;

/** Returns a function that changes sandboxes one by one and compiles after each change. Two sandboxes fork each Service. */
function changesOf(count: number): () => void {
  const compiler = new RouteCompiler();
  const sandboxes = Array.from({ length: count }, (_, n) =>
    aSandbox(`s${n}`, { forks: [`service-${n % (count / 2)}`], specLabels: { feature: `f${Math.floor(n / 5)}` } }),
  );
  for (let n = 0; n < count / 2; n += 1) {
    const service = aService(`service-${n}`);
    compiler.apply({ kind: "Service", key: `shop/${service.name}`, view: service });
  }
  for (let n = 0; n < count / 5; n += 1) {
    const group = aGroup(`g${n}`, { match: { label: { key: "feature", value: `f${n}` } } });
    compiler.apply({ kind: "RouteGroup", key: `shop/${group.name}`, view: group });
  }
  for (const view of sandboxes) compiler.apply({ kind: "Sandbox", key: `shop/${view.name}`, view });
  compiler.compile();
  return () => {
    for (let turn = 0; turn < changes; turn += 1) {
      const known = sandboxes[(turn * 7) % count];
      assert.ok(known !== undefined);
      const view = { ...known, priority: turn + 1 };
      compiler.apply({ kind: "Sandbox", key: `shop/${view.name}`, view });
      compiler.compile();
    }
  };
}

describe("the cost of a change of one sandbox", () => {
  it("does not depend on the number of sandboxes", () => {
    const small = changesOf(10);
    const large = changesOf(5000);
    // The first run compiles the code of both.
    small();
    large();
    const ratios = Array.from({ length: 3 }, () => cpuMs(large) / cpuMs(small));

    // A scan of all sandboxes would take about 100 times as long.
    assert.ok(Math.min(...ratios) < 3, `5,000 sandboxes cost ${Math.min(...ratios).toFixed(1)} times as much as 10`);
  });
});
