import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Rules, safeRules } from "./rules.ts";
import { simulate, type SimulationOptions } from "../testing/election-simulation.ts";

/** Durations that are safe when one clock runs four times as fast as another. */
const wide = { leaseDurationMs: 20_000, renewDeadlineMs: 4_000, retryPeriodMs: 2_000 };

/** Number of handovers of each long simulation. Run more with `ELECTION_HANDOVERS=100000`. */
const handoversMin = Number(process.env["ELECTION_HANDOVERS"] ?? 200);
const perSeed = Math.min(40, handoversMin);

const usual: Omit<SimulationOptions, "seed" | "rules" | "handovers"> = { rates: [0.85, 1.25], trueMsMax: 1e9 };

describe("an election under random faults", () => {
  it("never lets two processes write at the same time, with the usual durations", async () => {
    for (let seed = 1; seed * perSeed <= handoversMin; seed += 1) {
      const { handovers, violations } = await simulate({ ...usual, seed, rules: safeRules, handovers: perSeed });

      assert.deepEqual(violations, [], `seed ${seed}`);
      assert.ok(handovers >= perSeed, `seed ${seed}`);
    }
  });

  it("never lets two processes write at the same time with clocks from half to twice as fast and long durations", async () => {
    const wideOptions = { ...usual, rules: safeRules, handovers: perSeed, rates: [0.5, 2], durations: wide } as const;
    for (let seed = 1; seed * perSeed <= handoversMin; seed += 1) {
      const { handovers, violations } = await simulate({ ...wideOptions, seed });

      assert.deepEqual(violations, [], `seed ${seed}`);
      assert.ok(handovers >= perSeed, `seed ${seed}`);
    }
  });

  it("has two writers when the clock rates differ too much for the durations", async () => {
    assert.ok(await isFound({ rates: [0.5, 2] }, 3));
  });
});

const wrong: Readonly<Record<string, Partial<Rules>>> = {
  "measures the write deadline from the response": {
    fence: ({ responded, renewDeadlineMs }) => ({
      monotonic: responded.monotonic + renewDeadlineMs,
      wall: responded.wall + renewDeadlineMs,
    }),
  },
  "ends a term only by its timer": { isBefore: () => true },
  "checks the fence only by the wall clock": {
    isBefore: (now, fence) => now.wall < fence.wall,
  },
  "trusts the renew time of another machine": {
    decide: (view) => {
      const age = view.wall - Date.parse(view.seen.record.renewTime);
      return age > view.seen.record.leaseMs ? { do: "acquire" } : safeRules.decide(view);
    },
  },
  "treats a Lease without a holder as released": {
    decide: (view) => (view.seen.record.holder === "" ? { do: "acquire" } : safeRules.decide(view)),
  },
  "trusts a duration that was shortened by hand": {
    decide: (view) => safeRules.decide({ ...view, leaseMs: 0 }),
  },
  "accepts its own identity in the Lease as proof": {
    decide: (view) => (view.seen.record.holder === view.identity ? { do: "renew" } : safeRules.decide(view)),
  },
  "leads at once after creating a missing Lease": { waitAfterCreateMs: () => 0 },
  "releases a Lease that is not its own": { mayRelease: () => true },
  "releases a Lease before it was allowed to lead": {
    mayRelease: ({ record, claim }) => safeRules.isOurs(record, claim),
  },
};

/** Seeds that are known to reveal a mistake which the first seeds do not reveal. */
const seeds: Readonly<Record<string, number>> = {
  "measures the write deadline from the response": 5,
  "checks the fence only by the wall clock": 4,
};

describe("the simulation", () => {
  for (const [mistake, rules] of Object.entries(wrong)) {
    it(`detects an election that ${mistake}`, async () => {
      assert.ok(await isFound({ rules: { ...safeRules, ...rules } }, seeds[mistake]));
    });
  }

  it("detects a server that does not check the version of the Lease", async () => {
    assert.ok(await isFound({ isConditional: false }));
  });
});

/** Reports whether one of a limited number of simulations has two writers. `seedMin` is a seed that is known to find them. */
async function isFound(options: Partial<SimulationOptions>, seedMin = 1): Promise<boolean> {
  for (let seed = seedMin; seed <= 40; seed += 1) {
    const { violations } = await simulate({ ...usual, rules: safeRules, seed, handovers: 50, ...options });
    if (violations.length > 0) return true;
  }
  return false;
}
