import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { decide } from "./decide.ts";
import type { SecretStore, StoredSecret } from "./ports.ts";
import { dayMs, hourMs, minuteMs, type Planted, World } from "./world.fixture.test.ts";

/** Runs five years in a quiet or a rough world; ends at the first violation. */
async function live(world: World, { isRough }: { isRough: boolean }): Promise<void> {
  for (const replica of world.replicas) world.start(replica);
  await world.clock.advance(hourMs);
  assert.ok(world.replicas.every(({ serving }) => serving !== undefined));
  world.isChecking = true;
  world.failurePercent = isRough ? 3 : 0;
  for (let day = 0; day < 5 * 365 && world.violations.length === 0; day += 1) {
    if (isRough) disturb(world);
    await world.clock.advance(dayMs);
    world.check("a day has passed");
  }
  for (const { stop } of world.replicas) stop.abort();
  await world.clock.advance(minuteMs);
}

function disturb(world: World): void {
  const { random, replicas, clock } = world;
  const one = replicas[random.int(2)];
  const other = replicas.find((replica) => replica !== one);
  const chance = random.int(1000);
  if (one === undefined || other?.serving === undefined) return;
  if (chance < 30) one.cutOffUntil = clock.now() + random.int(20) * dayMs;
  else if (chance < 60) world.restart(one);
  else if (chance < 70) world.secret = undefined;
  else if (chance < 80 && world.secret !== undefined) {
    const broken = chance % 2 === 0 ? { "rotation.json": "{" } : { "tls.key": "" };
    world.secret = { data: { ...world.secret.data, ...broken }, version: world.secret.version + 1_000_000 };
  }
}

describe("five years of rotations by two replicas", () => {
  it("never show an API server a certificate it does not trust", async () => {
    const world = new World(1);

    await live(world, { isRough: false });

    assert.deepEqual(world.violations, []);
    // The authority is replaced at two thirds of a year, the serving certificate at two thirds of 90 days.
    assert.equal(world.steps.get("begin"), 1);
    assert.equal(world.steps.get("introduce"), 7);
    assert.equal(world.steps.get("promote"), 7);
    assert.equal(world.steps.get("prune"), 7);
    assert.ok((world.steps.get("renew") ?? 0) >= 21, `${world.steps.get("renew")} renewals`);
    assert.equal(world.clock.pending, 0);
  });

  it("nor when the network fails, replicas vanish, and the Secret is broken or deleted", async () => {
    for (let seed = 1; seed <= 2; seed += 1) {
      const world = new World(seed);

      await live(world, { isRough: true });

      assert.deepEqual(world.violations, [], `seed ${seed}`);
      assert.ok((world.steps.get("restore") ?? 0) > 0, "nothing was lost and restored");
      assert.ok((world.steps.get("promote") ?? 0) >= 6, "the authority was hardly replaced");
    }
  });
});

describe("the checker of rotations finds", () => {
  const planted: Record<string, Planted> = {
    "an authority that signs before it is published": {
      decide: (situation) => (situation.state?.next === undefined ? decide(situation) : "promote"),
    },
    "an authority that signs before API servers have heard of it": {
      decide: (situation) => decide({ ...situation, policy: { ...situation.policy, propagationMs: 0 } }),
    },
    "an authority that counts as published without a look": {
      decide: (situation) => decide({ ...situation, isPublished: true }),
      target: (target) =>
        target.name === "target 1"
          ? { ...target, write: (bundle, version) => failFirst(() => target.write(bundle, version)) }
          : target,
    },
    "an old authority that leaves as soon as the new one signs": {
      store: (store) => edited(store, (rotation) => ({ ...rotation, retired: [] })),
    },
    "a serving certificate that nobody renews": {
      decide: (situation) => without("renew", decide(situation)),
    },
    "an authority that nobody replaces in time": {
      decide: (situation) => without("introduce", decide(situation)),
    },
    "bundles written from an old copy of the Secret": {
      store: (store) => stale(store),
    },
  };

  for (const [name, bug] of Object.entries(planted)) {
    it(name, async () => {
      let found = 0;
      for (let seed = 1; seed <= 3 && found === 0; seed += 1) {
        const world = new World(seed, bug);
        await live(world, { isRough: true });
        found = world.violations.length;
      }

      assert.ok(found > 0);
    });
  }
});

function without<T>(unwanted: T, step: T): T | undefined {
  return step === unwanted ? undefined : step;
}

let writes = 0;

/** Three of four writes fail. */
async function failFirst(write: () => Promise<void>): Promise<void> {
  writes += 1;
  if (writes % 4 !== 0) throw new Error("refused");
  await write();
}

/** A store whose writes are changed on the way. */
function edited(store: SecretStore, edit: (rotation: object) => object): SecretStore {
  const change = (data: Readonly<Record<string, string>>): Record<string, string> => {
    const rotation: unknown = JSON.parse(data["rotation.json"] ?? "{}");
    return { ...data, "rotation.json": JSON.stringify(isRecord(rotation) ? edit(rotation) : rotation) };
  };
  return { ...store, create: (data) => store.create(change(data)), update: (data, v) => store.update(change(data), v) };
}

/** A store that answers from a copy which it renews every few reads. */
function stale(store: SecretStore): SecretStore {
  let reads = 0;
  let copy: StoredSecret | undefined;
  return {
    ...store,
    async get() {
      reads += 1;
      if (copy === undefined || reads % 40 === 0) copy = await store.get();
      return copy;
    },
  };
}
