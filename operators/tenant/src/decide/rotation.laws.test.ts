import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TenantSimulation } from "../testing/simulation.ts";

type Event = readonly [what: string, happen: (simulation: TenantSimulation) => void];

const index = fc.nat({ max: 3 });
const one = (what: string, happen: (simulation: TenantSimulation) => void): fc.Arbitrary<Event> =>
  fc.constant([what, happen]);
const at = (what: string, happen: (simulation: TenantSimulation, index: number) => void): fc.Arbitrary<Event> =>
  index.map((number) => [`${what} ${number}`, (simulation) => happen(simulation, number)]);

// Regular work has a higher weight than failures, so that most runs pass through all steps.
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 20, arbitrary: one("everybody does one thing", (simulation) => simulation.round()) },
  { weight: 14, arbitrary: one("the same, but nothing ends", (simulation) => simulation.round({ isSlowToEnd: true })) },
  { weight: 2, arbitrary: one("reconcile", (simulation) => simulation.reconcile()) },
  { weight: 2, arbitrary: one("sync", (simulation) => simulation.sync()) },
  {
    weight: 3,
    arbitrary: at("killed in a reconcile after write", (simulation, writes) => simulation.reconcile(writes)),
  },
  { weight: 4, arbitrary: one("request rotation", (simulation) => simulation.requestRotation()) },
  { weight: 1, arbitrary: one("toggle sleep", (simulation) => simulation.toggleSleep()) },
  { weight: 1, arbitrary: one("wait", (simulation) => simulation.wait()) },
  { weight: 2, arbitrary: one("roll Redis", (simulation) => simulation.rollRedis()) },
  { weight: 2, arbitrary: one("roll server", (simulation) => simulation.rollServer()) },
  { weight: 1, arbitrary: at("Redis is ready", (simulation, number) => simulation.readyRedis(number)) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(index, fc.nat({ max: 4 }))
      .map(([number, staleness]): Event => [
        `start Redis ${number}, ${staleness} behind`,
        (simulation) => simulation.startRedis(number, staleness),
      ]),
  },
  { weight: 1, arbitrary: at("evict Redis", (simulation, number) => simulation.evictRedis(number)) },
  { weight: 2, arbitrary: at("start server", (simulation, number) => simulation.startServer(number)) },
  { weight: 2, arbitrary: at("end server", (simulation, number) => simulation.endServer(number)) },
);

const life = fc.array(event, { minLength: 1, maxLength: 100, size: "max" });

describe("the password rotation", () => {
  for (const replicas of [1, 3]) {
    it(`never locks a client out, in any order of events, with ${replicas} Redis`, () => {
      fc.assert(
        fc.property(life, (events) => {
          const simulation = new TenantSimulation({ replicas });
          for (const [what, happen] of events) {
            happen(simulation);

            assert.deepEqual(simulation.shutOut(), [], `after ${what}, in ${simulation.step}`);
          }
        }),
        { numRuns: 60, seed: 20_261_116 },
      );
    });

    it(`ends with one password from any state, with ${replicas} Redis`, () => {
      fc.assert(
        fc.property(life, (events) => {
          const simulation = new TenantSimulation({ replicas });
          for (const [, happen] of events) happen(simulation);

          simulation.settle();

          assert.equal(simulation.step, "done");
          assert.equal(simulation.acl.match(/#/g)?.length, 1);
          assert.deepEqual(simulation.shutOut(), []);
        }),
        { numRuns: 12, seed: 20_261_116 },
      );
    });
  }

  for (const step of ["overlap", "clients", "cleanup"]) {
    it(`survives a master that crash-loops in ${step} with the newest ACL`, () => {
      const simulation = new TenantSimulation({ replicas: 3 });
      simulation.requestRotation();
      for (let rounds = 0; rounds < 60 && simulation.step !== step; rounds += 1) simulation.round();
      assert.equal(simulation.step, step);

      for (let rounds = 0; rounds < 40 && simulation.step === step; rounds += 1) {
        simulation.startRedis(
          simulation.redisPods.findIndex(({ ordinal }) => ordinal === 0),
          0,
        );
        assert.deepEqual(simulation.shutOut(), []);
        // One round in which the pod becomes ready again, and one in which the others can continue.
        simulation.round();
        simulation.round();
      }
      assert.notEqual(simulation.step, step);
    });
  }

  it("passes through every step in order", () => {
    const simulation = new TenantSimulation({ replicas: 3 });
    const before = simulation.acl;
    simulation.requestRotation();

    simulation.settle();

    const steps = simulation.secrets.map(({ metadata }) => metadata.annotations?.["neurallog.io/rotation-step"]);
    assert.deepEqual(steps, ["done", "overlap", "clients", "cleanup", "done"]);
    assert.notEqual(simulation.acl, before);
  });
});
