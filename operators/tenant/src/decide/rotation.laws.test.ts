import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { World } from "./world.fixture.test.ts";

type Event = readonly [what: string, happen: (world: World) => void];

const index = fc.nat({ max: 3 });
const one = (what: string, happen: (world: World) => void): fc.Arbitrary<Event> => fc.constant([what, happen]);
const at = (what: string, happen: (world: World, index: number) => void): fc.Arbitrary<Event> =>
  index.map((number) => [`${what} ${number}`, (world) => happen(world, number)]);

// Work is drawn more often than accidents, so that most lives get through all steps.
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 20, arbitrary: one("everybody does one thing", (world) => world.round()) },
  { weight: 14, arbitrary: one("the same, but nothing ends", (world) => world.round({ isSlowToEnd: true })) },
  { weight: 2, arbitrary: one("pass", (world) => world.pass()) },
  { weight: 2, arbitrary: one("sync", (world) => world.sync()) },
  { weight: 3, arbitrary: at("killed in a pass after write", (world, writes) => world.pass(writes)) },
  { weight: 4, arbitrary: one("ask", (world) => world.ask()) },
  { weight: 1, arbitrary: one("toggle sleep", (world) => world.toggleSleep()) },
  { weight: 1, arbitrary: one("wait", (world) => world.wait()) },
  { weight: 2, arbitrary: one("roll Redis", (world) => world.rollRedis()) },
  { weight: 2, arbitrary: one("roll server", (world) => world.rollServer()) },
  { weight: 1, arbitrary: at("Redis is ready", (world, number) => world.readyRedis(number)) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(index, fc.nat({ max: 4 }))
      .map(([number, staleness]): Event => [
        `start Redis ${number}, ${staleness} behind`,
        (world) => world.startRedis(number, staleness),
      ]),
  },
  { weight: 1, arbitrary: at("evict Redis", (world, number) => world.evictRedis(number)) },
  { weight: 2, arbitrary: at("start server", (world, number) => world.startServer(number)) },
  { weight: 2, arbitrary: at("end server", (world, number) => world.endServer(number)) },
);

const life = fc.array(event, { minLength: 1, maxLength: 100, size: "max" });

describe("the passwords of a tenant", () => {
  for (const replicas of [1, 3]) {
    it(`shut nobody out at any moment, whatever happens in which order, with ${replicas} Redis`, () => {
      fc.assert(
        fc.property(life, (events) => {
          const world = new World({ replicas });
          for (const [what, happen] of events) {
            happen(world);

            assert.deepEqual(world.shutOut(), [], `after ${what}, in ${world.step}`);
          }
        }),
        { numRuns: 60, seed: 20_261_116 },
      );
    });

    it(`come to rest with one password, from wherever they were left, with ${replicas} Redis`, () => {
      fc.assert(
        fc.property(life, (events) => {
          const world = new World({ replicas });
          for (const [, happen] of events) happen(world);

          world.settle();

          assert.equal(world.step, "done");
          assert.equal(world.acl.match(/#/g)?.length, 1);
          assert.deepEqual(world.shutOut(), []);
        }),
        { numRuns: 12, seed: 20_261_116 },
      );
    });
  }

  for (const step of ["overlap", "clients", "cleanup"]) {
    it(`survive a master that crashes again and again in ${step}, and finds the newest users`, () => {
      const world = new World({ replicas: 3 });
      world.ask();
      for (let rounds = 0; rounds < 60 && world.step !== step; rounds += 1) world.round();
      assert.equal(world.step, step);

      for (let rounds = 0; rounds < 40 && world.step === step; rounds += 1) {
        world.startRedis(
          world.redisPods.findIndex(({ ordinal }) => ordinal === 0),
          0,
        );
        assert.deepEqual(world.shutOut(), []);
        // One in which it becomes ready again, and one in which the others can go on.
        world.round();
        world.round();
      }
      assert.notEqual(world.step, step);
    });
  }

  it("pass through every step in order", () => {
    const world = new World({ replicas: 3 });
    const before = world.acl;
    world.ask();

    world.settle();

    const steps = world.secrets.map(({ metadata }) => metadata.annotations?.["neurallog.io/rotation-step"]);
    assert.deepEqual(steps, ["done", "overlap", "clients", "cleanup", "done"]);
    assert.notEqual(world.acl, before);
  });
});
