import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import type { AttemptResult } from "./balancer.ts";
import { TwoChoiceBalancer } from "./two-choice-balancer.ts";

const targets = ["a:80", "b:80", "c:80", "d:80"];

function setup(pendingMax = 1024) {
  const clock = new FakeClock();
  const balancer = new TwoChoiceBalancer({ clock, random: new SeededRandom(1), limits: { pendingMax } });
  const report = (target: string, result: AttemptResult, times = 1): void => {
    for (let n = 0; n < times; n += 1) balancer.begin("cart", target)(result);
  };
  const chosen = (from: readonly string[] = targets): ReadonlySet<string | undefined> =>
    new Set(Array.from({ length: 200 }, () => balancer.choose("cart", from)));
  return { clock, balancer, report, chosen };
}

describe("TwoChoiceBalancer", () => {
  it("uses all targets, and prefers those with fewer running requests", () => {
    const { balancer, chosen } = setup();
    assert.equal(chosen().size, 4);

    const counts = new Map<string, number>();
    for (let n = 0; n < 400; n += 1) {
      const target = balancer.choose("cart", targets) ?? "";
      balancer.begin("cart", target);
      counts.set(target, (counts.get(target) ?? 0) + 1);
    }

    for (const count of counts.values()) assert.ok(Math.abs(count - 100) <= 3, JSON.stringify([...counts]));
  });

  it("leaves out a target after five failures in a row, for 10 s, then twice as long, up to 60 s", async () => {
    const { clock, balancer, report, chosen } = setup();
    report("a:80", "connect-failed", 4);
    assert.ok(chosen().has("a:80"));
    report("a:80", "broken");

    for (const seconds of [10, 20, 40, 60, 60]) {
      assert.ok(!chosen().has("a:80"));
      assert.equal(balancer.isHealthy("a:80"), false);
      await clock.advance(seconds * 1000 - 1);
      assert.ok(!chosen().has("a:80"), `${seconds} s`);
      await clock.advance(1);
      assert.ok(chosen().has("a:80"), `${seconds} s`);
      report("a:80", "connect-failed");
    }
  });

  it("forgets failures after a success, and does not count cancelled requests", () => {
    const { report, chosen } = setup();
    report("a:80", "connect-failed", 4);
    report("a:80", "ok");
    report("a:80", "connect-failed", 4);
    report("a:80", "cancelled", 10);

    assert.ok(chosen().has("a:80"));
  });

  it("leaves out at most half of the targets", () => {
    const { report, chosen } = setup();
    report("a:80", "connect-failed", 5);
    report("b:80", "connect-failed", 5);
    assert.deepEqual(chosen(), new Set(["c:80", "d:80"]));

    report("c:80", "connect-failed", 5);
    assert.equal(chosen().size, 4);
    assert.deepEqual([...chosen(["a:80"])], ["a:80"]);
  });

  it("avoids targets that were tried, unless there is no other", () => {
    const { balancer, report } = setup();
    report("a:80", "connect-failed", 5);

    assert.equal(balancer.choose("cart", ["a:80", "b:80"], new Set(["b:80"])), "a:80");
    assert.equal(balancer.choose("cart", ["a:80"], new Set(["a:80"])), "a:80");
    for (let n = 0; n < 50; n += 1) assert.notEqual(balancer.choose("cart", targets, new Set(["c:80"])), "c:80");
  });

  it("limits pending requests of each workload until they are answered", () => {
    const { balancer } = setup(2);
    const first = balancer.begin("cart", "a:80");
    const second = balancer.begin("cart", "a:80");

    assert.equal(balancer.choose("cart", targets), undefined);
    assert.ok(balancer.choose("other", targets));
    first("answered");
    assert.ok(balancer.choose("cart", targets));
    balancer.begin("cart", "a:80");
    first("ok");
    assert.equal(balancer.choose("cart", targets), undefined);
    second("cancelled");
    second("cancelled");
    assert.ok(balancer.choose("cart", targets));
  });

  it("forgets addresses that no table has", () => {
    const { balancer, report } = setup();
    report("a:80", "connect-failed", 5);

    balancer.retain(new Set(["b:80"]));

    assert.equal(balancer.isHealthy("a:80"), true);
  });
});
