import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TerminalError } from "@homeostat/core";
import { defineController } from "./define-controller.ts";
import { Operator, Site } from "../testing/sample-operator.ts";

const hour = 3_600_000;

describe("a controller with resyncMs", () => {
  it("reconciles all objects at about that interval, after everything else", async () => {
    const reconciles: { key: string; why: readonly string[]; at: number }[] = [];
    const sites = defineController({
      for: Site,
      resyncMs: hour,
      async reconcile({ key, why, clock }) {
        reconciles.push({ key, why, at: clock.monotonic() });
      },
    });
    await using operator = new Operator(sites);
    for (const name of ["a", "b"]) operator.api.put(Site, `default/${name}`, { spec: { text: "" } });
    await operator.lead();
    reconciles.length = 0;

    await operator.clock.advance(10 * hour);

    const ofA = reconciles.filter(({ key }) => key === "default/a");
    const pauses = ofA.slice(1).map(({ at }, index) => at - (ofA[index]?.at ?? 0));
    assert.equal(reconciles.length, 2 * ofA.length);
    assert.ok(ofA.length >= 9 && ofA.length <= 11, String(ofA.length));
    assert.ok(
      pauses.every((ms) => ms >= 0.9 * hour && ms <= 1.1 * hour),
      pauses.join(),
    );
    assert.ok(new Set(pauses).size > 1, "the interval has jitter");
    assert.deepEqual(ofA[0]?.why, ["resync"]);
  });

  it("skips objects that wait for a retry, or for a change after a terminal error", async () => {
    const reconciles: string[] = [];
    const sites = defineController({
      for: Site,
      resyncMs: 60_000,
      errorPolicy: { unknown: { minMs: hour, maxMs: hour } },
      async reconcile({ name }) {
        reconciles.push(name);
        if (name === "failing") throw new Error("no");
        if (name === "wrong") throw new TerminalError({ reason: "Wrong", message: "wrong" });
      },
    });
    await using operator = new Operator(sites);
    for (const name of ["failing", "wrong", "fine"]) operator.api.put(Site, `default/${name}`, { spec: { text: "" } });
    await operator.lead();

    await operator.clock.advance(hour / 2);

    assert.deepEqual(
      ["failing", "wrong"].map((name) => reconciles.filter((other) => other === name).length),
      [1, 1],
    );
    assert.ok(reconciles.filter((name) => name === "fine").length > 20);
  });

  it("keeps no timer without resyncMs, nor after its term", async () => {
    const plain = defineController({ for: Site, async reconcile() {} });
    const timed = defineController({ for: Site, resyncMs: hour, async reconcile() {} });
    const timersOf = async (controller: typeof plain): Promise<readonly [number, number]> => {
      await using operator = new Operator(controller);
      const before = operator.clock.pending;
      await operator.lead();
      const leading = operator.clock.pending - before;
      await operator.stop();
      return [leading, operator.clock.pending - before];
    };

    const [plainTimers, timedTimers] = [await timersOf(plain), await timersOf(timed)];

    assert.equal(timedTimers[0], plainTimers[0] + 1);
    assert.deepEqual([plainTimers[1], timedTimers[1]], [plainTimers[1], plainTimers[1]]);
  });

  it("is rejected when the interval is too short or too long", () => {
    const define = (resyncMs: number): unknown => defineController({ for: Site, resyncMs, async reconcile() {} });

    assert.throws(() => define(10), /resyncMs of 10/);
    assert.throws(() => define(Infinity), { code: "ARGUMENT" });
  });
});

describe("a controller with priorities", () => {
  it("reconciles objects of higher priority first, in the initial list and later", async () => {
    const order: string[] = [];
    const sites = defineController({
      for: Site,
      priority: ({ spec }) => Number(spec.text),
      async reconcile({ name }) {
        order.push(name);
      },
    });
    await using operator = new Operator(sites);
    for (const [name, text] of [
      ["low", "-5"],
      ["usual", "0"],
      ["high", "9"],
    ] as const) {
      operator.api.put(Site, `default/${name}`, { spec: { text } });
    }
    await operator.lead();

    assert.deepEqual(order, ["high", "usual", "low"]);
  });

  it("uses priority 0 and logs it when the priority is invalid or the function throws", async () => {
    const order: string[] = [];
    const sites = defineController({
      for: Site,
      priority({ spec }) {
        if (spec.text === "throws") throw new Error("no");
        return Number(spec.text);
      },
      async reconcile({ name }) {
        order.push(name);
      },
    });
    await using operator = new Operator(sites);
    for (const [name, text] of [
      ["wrong", "1.5"],
      ["broken", "throws"],
      ["high", "1"],
    ] as const) {
      operator.api.put(Site, `default/${name}`, { spec: { text } });
    }
    await operator.lead();

    assert.equal(order[0], "high");
    assert.deepEqual(
      operator.logged(/^Controller callback threw$/).map(({ callback }) => callback),
      ["priority", "priority"],
    );
  });
});

describe("a controller with metrics of its own", () => {
  it("clears its metrics each time it stops leading", async () => {
    let cleared = 0;
    const sites = defineController({
      for: Site,
      metrics: {
        register: () => undefined,
        clear() {
          cleared += 1;
        },
      },
      async reconcile() {},
    });
    await using operator = new Operator(sites);
    await operator.lead();
    assert.equal(cleared, 0);

    await operator.stop();
    await operator.lead();
    await operator.abort(new Error("leadership lost"));

    assert.equal(cleared, 2);
  });

  it("ends its term even if clearing its metrics fails", async () => {
    const sites = defineController({
      for: Site,
      metrics: {
        register: () => undefined,
        clear() {
          throw new Error("no");
        },
      },
      async reconcile() {},
    });
    await using operator = new Operator(sites);
    await operator.lead();

    await operator.stop();

    assert.deepEqual(
      operator.logged(/threw/).map(({ callback }) => callback),
      ["metrics.clear"],
    );
  });
});
