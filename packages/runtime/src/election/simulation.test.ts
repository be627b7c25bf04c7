import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Rules, safeRules } from "./rules.ts";
import { simulate, type SimulationOptions } from "./simulation.fixture.test.ts";

/** A lease long enough, against the time its holder writes, for clocks of which one runs four times as fast as another. */
const wide = { leaseDurationMs: 20_000, renewDeadlineMs: 4_000, retryPeriodMs: 2_000 };

/** How many handovers each of the two long runs has. More for a long night: `ELECTION_HANDOVERS=100000`. */
const handoversMin = Number(process.env["ELECTION_HANDOVERS"] ?? 200);
const perSeed = 40;

const usual: Omit<SimulationOptions, "seed" | "rules" | "handovers"> = { rates: [0.85, 1.25], trueMsMax: 1e9 };

describe("an election in a world of misfortune", () => {
  it("never lets two processes write at the same time, with the usual durations", async () => {
    for (let seed = 1; seed * perSeed <= handoversMin; seed += 1) {
      const { handovers, violations } = await simulate({ ...usual, seed, rules: safeRules, handovers: perSeed });

      assert.deepEqual(violations, [], `seed ${seed}`);
      assert.ok(handovers >= perSeed, `seed ${seed}`);
    }
  });

  it("never lets two processes write at the same time with clocks from half to twice as fast, given time for them", async () => {
    const wideOptions = { ...usual, rules: safeRules, handovers: perSeed, rates: [0.5, 2], durations: wide } as const;
    for (let seed = 1; seed * perSeed <= handoversMin; seed += 1) {
      const { handovers, violations } = await simulate({ ...wideOptions, seed });

      assert.deepEqual(violations, [], `seed ${seed}`);
      assert.ok(handovers >= perSeed, `seed ${seed}`);
    }
  });

  it("needs the assumption about clocks: with rates too far apart for the durations, two write", async () => {
    assert.ok(await isFound({ rates: [0.5, 2] }));
  });
});

const wrong: Readonly<Record<string, Partial<Rules>>> = {
  "counts the time to write from the answer": {
    fence: ({ answered, renewDeadlineMs }) => ({
      monotonic: answered.monotonic + renewDeadlineMs,
      wall: answered.wall + renewDeadlineMs,
    }),
  },
  "ends a term by its timer alone": { isBefore: () => true },
  "writes as long as the lease lasts by the time of day": {
    isBefore: (now, fence) => now.wall < fence.wall,
  },
  "believes the renew time of another machine": {
    decide: (view) => {
      const age = view.wall - Date.parse(view.seen.record.renewTime);
      return age > view.seen.record.leaseMs ? { do: "acquire" } : safeRules.decide(view);
    },
  },
  "takes a Lease without a holder for released": {
    decide: (view) => (view.seen.record.holder === "" ? { do: "acquire" } : safeRules.decide(view)),
  },
  "believes a duration that somebody cut short": {
    decide: (view) => safeRules.decide({ ...view, leaseMs: 0 }),
  },
  "takes its own name in the Lease for proof": {
    decide: (view) => (view.seen.record.holder === view.identity ? { do: "renew" } : safeRules.decide(view)),
  },
  "leads at once after creating a missing Lease": { waitAfterCreateMs: () => 0 },
  "gives up a Lease without looking whose it is": { mayRelease: () => true },
  "gives up a Lease before it was allowed to lead": {
    mayRelease: ({ record, claim }) => safeRules.isOurs(record, claim),
  },
};

describe("the simulation", () => {
  for (const [mistake, rules] of Object.entries(wrong)) {
    it(`finds an election that ${mistake}`, async () => {
      assert.ok(await isFound({ rules: { ...safeRules, ...rules } }));
    });
  }

  it("finds an election whose writes do not heed the version of the Lease", async () => {
    assert.ok(await isFound({ isConditional: false }));
  });
});

/** Whether some run of a bounded number of them shows two writers. */
async function isFound(options: Partial<SimulationOptions>): Promise<boolean> {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { violations } = await simulate({ ...usual, rules: safeRules, seed, handovers: 50, ...options });
    if (violations.length > 0) return true;
  }
  return false;
}
