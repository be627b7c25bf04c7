import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { majorityOf } from "./quorum.ts";
import { ClusterSimulation } from "../testing/simulation.ts";

type Event = readonly [what: string, happen: (simulation: ClusterSimulation) => void];

const component = fc.constantFrom("controller" as const, "ingest" as const);
const one = (what: string, happen: (simulation: ClusterSimulation) => void): fc.Arbitrary<Event> =>
  fc.constant([what, happen]);

// Time passes more often than anything else happens, so that most rollouts and scale changes make progress.
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 30, arbitrary: one("time passes", (simulation) => simulation.pass()) },
  {
    weight: 2,
    arbitrary: component.map((tier): Event => [
      `change ${tier}`,
      (simulation) => simulation.changeTemplate(tier, false),
    ]),
  },
  {
    weight: 1,
    arbitrary: component.map((tier): Event => [`break ${tier}`, (simulation) => simulation.changeTemplate(tier, true)]),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1, 3, 5)
      .map((count): Event => [`${count} controllers`, (simulation) => simulation.scale("controller", count)]),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 5 })
      .map((count): Event => [`${count} ingest nodes`, (simulation) => simulation.scale("ingest", count)]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(component, fc.nat({ max: 6 }))
      .map(([tier, index]): Event => [`kill ${tier} ${index}`, (simulation) => simulation.kill(tier, index)]),
  },
  {
    weight: 1,
    arbitrary: fc
      .nat({ max: 6 })
      .map((index): Event => [`disk of ${index} lost`, (simulation) => simulation.loseDisk(index)]),
  },
  { weight: 1, arbitrary: one("drains hang", (simulation) => (simulation.neverDrains = true)) },
  { weight: 1, arbitrary: one("drains work", (simulation) => (simulation.neverDrains = false)) },
);

const life = fc.array(event, { minLength: 1, maxLength: 120, size: "max" });
const numRuns = process.env["HOMEOSTAT_FULL"] === undefined ? 80 : 3_000;

describe("a simulated cluster", () => {
  it("never loses its majority by a step of the operator, in any order of events", () => {
    fc.assert(
      fc.property(life, (events) => {
        const simulation = new ClusterSimulation({ controllers: 3, ingest: 3 });
        for (const [what, happen] of events) {
          happen(simulation);
          const before = simulation.liveVoters().length;
          const size = simulation.voters.length;
          simulation.reconcile();

          const after = simulation.liveVoters().length;
          const needed = majorityOf(simulation.voters.length);
          if (size >= 3 && before >= majorityOf(size)) assert.ok(after >= needed || after === before, `after ${what}`);
          const disrupted = [...simulation.tiers.controller.pods.values(), ...simulation.tiers.ingest.pods.values()];
          assert.ok(disrupted.filter(({ isDisrupted }) => isDisrupted).length <= 1, `one pod restarts after ${what}`);
        }
      }),
      { numRuns, seed: 20_261_117 },
    );
  });

  it("becomes complete from any state after the last template works and drains complete", () => {
    fc.assert(
      fc.property(life, (events) => {
        const simulation = new ClusterSimulation({ controllers: 3, ingest: 3 });
        for (const [, happen] of events) {
          happen(simulation);
          simulation.reconcile();
        }
        simulation.neverDrains = false;
        for (const tier of ["controller", "ingest"] as const) simulation.changeTemplate(tier, false);
        let plan: unknown;
        for (let rounds = 0; rounds < 1_000 && !simulation.isSettled; rounds += 1) {
          simulation.pass();
          ({ plan } = simulation.reconcile());
        }

        assert.ok(simulation.isSettled, `stuck: ${JSON.stringify(plan)}`);
      }),
      { numRuns: Math.ceil(numRuns / 2), seed: 20_261_117 },
    );
  });
});
