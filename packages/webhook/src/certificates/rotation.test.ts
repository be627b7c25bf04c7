import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { decide } from "./decide.ts";
import type { SecretStore, StoredSecret } from "./ports.ts";
import { dayMs, hourMs, minuteMs, type Planted, ClusterModel } from "../testing/cluster-model.ts";

/** Number of disturbed simulations, each with its own seed. */
const seedCount = Number(process.env["HOMEOSTAT_ROTATION_SEEDS"] ?? 2);

/** Simulates five years with or without disturbances. Stops at the first violation. */
async function simulate(cluster: ClusterModel, { isDisturbed }: { isDisturbed: boolean }): Promise<void> {
  for (const replica of cluster.replicas) cluster.start(replica);
  await cluster.clock.advance(hourMs);
  assert.ok(cluster.replicas.every(({ serving }) => serving !== undefined));
  cluster.isChecking = true;
  cluster.failurePercent = isDisturbed ? 3 : 0;
  for (let day = 0; day < 5 * 365 && cluster.violations.length === 0; day += 1) {
    if (isDisturbed) disturb(cluster);
    await cluster.clock.advance(dayMs);
    cluster.check("a day later");
  }
  for (const { stop } of cluster.replicas) stop.abort();
  await cluster.clock.advance(minuteMs);
}

function disturb(cluster: ClusterModel): void {
  const { random, replicas, clock } = cluster;
  const one = replicas[random.int(2)];
  const other = replicas.find((replica) => replica !== one);
  const chance = random.int(1000);
  if (one === undefined || other?.serving === undefined) return;
  if (chance < 30) one.cutOffUntil = clock.now() + random.int(20) * dayMs;
  else if (chance < 60) cluster.restart(one);
  else if (chance < 70) cluster.secret = undefined;
  else if (chance < 80 && cluster.secret !== undefined) {
    const broken = chance % 2 === 0 ? { "rotation.json": "{" } : { "tls.key": "" };
    cluster.secret = { data: { ...cluster.secret.data, ...broken }, version: cluster.secret.version + 1_000_000 };
  }
}

describe("five years of rotations by two replicas", () => {
  it("never show an API server a certificate that it does not trust", async () => {
    const cluster = new ClusterModel(1);

    await simulate(cluster, { isDisturbed: false });

    assert.deepEqual(cluster.violations, []);
    // The CA is replaced after two thirds of a year, the serving certificate after two thirds of 90 days.
    assert.equal(cluster.steps.get("begin"), 1);
    assert.equal(cluster.steps.get("introduce"), 7);
    assert.equal(cluster.steps.get("promote"), 7);
    assert.equal(cluster.steps.get("prune"), 7);
    assert.ok((cluster.steps.get("renew") ?? 0) >= 21, `${cluster.steps.get("renew")} renewals`);
    assert.equal(cluster.clock.pending, 0);
  });

  it("never do so when the network fails, replicas restart, and the Secret is broken or deleted", async () => {
    for (let seed = 1; seed <= seedCount; seed += 1) {
      const cluster = new ClusterModel(seed);

      await simulate(cluster, { isDisturbed: true });

      assert.deepEqual(cluster.violations, [], `seed ${seed}`);
      assert.ok((cluster.steps.get("restore") ?? 0) > 0, "the Secret was never restored");
      assert.ok((cluster.steps.get("promote") ?? 0) >= 6, "the CA was replaced too rarely");
    }
  });
});

describe("the rotation checker detects", () => {
  const planted: Record<string, Planted> = {
    "a CA that signs before it is published": {
      decide: (situation) => (situation.state?.next === undefined ? decide(situation) : "promote"),
    },
    "a CA that signs before API servers have read it": {
      decide: (situation) => decide({ ...situation, policy: { ...situation.policy, propagationMs: 0 } }),
    },
    "a CA that is assumed to be published without a check": {
      decide: (situation) => decide({ ...situation, isPublished: true }),
      target: (target) =>
        target.name === "target 1"
          ? { ...target, write: (bundle, version) => failFirst(() => target.write(bundle, version)) }
          : target,
    },
    "an old CA that is removed as soon as the new one signs": {
      store: (store) => edited(store, (rotation) => ({ ...rotation, retired: [] })),
    },
    "a serving certificate that is not renewed": {
      decide: (situation) => without("renew", decide(situation)),
    },
    "a CA that is not replaced in time": {
      decide: (situation) => without("introduce", decide(situation)),
    },
    "bundles written from a stale copy of the Secret": {
      store: (store) => stale(store),
    },
  };

  for (const [name, bug] of Object.entries(planted)) {
    it(name, async () => {
      let found = 0;
      for (let seed = 1; seed <= 3 && found === 0; seed += 1) {
        const cluster = new ClusterModel(seed, bug);
        await simulate(cluster, { isDisturbed: true });
        found = cluster.violations.length;
      }

      assert.ok(found > 0);
    });
  }
});

function without<T>(unwanted: T, step: T): T | undefined {
  return step === unwanted ? undefined : step;
}

let writes = 0;

/** Runs only every fourth write; the others fail. */
async function failFirst(write: () => Promise<void>): Promise<void> {
  writes += 1;
  if (writes % 4 !== 0) throw new Error("refused");
  await write();
}

/** Returns a store that modifies its writes. */
function edited(store: SecretStore, edit: (rotation: object) => object): SecretStore {
  const change = (data: Readonly<Record<string, string>>): Record<string, string> => {
    const rotation: unknown = JSON.parse(data["rotation.json"] ?? "{}");
    return { ...data, "rotation.json": JSON.stringify(isRecord(rotation) ? edit(rotation) : rotation) };
  };
  return { ...store, create: (data) => store.create(change(data)), update: (data, v) => store.update(change(data), v) };
}

/** Returns a store that reads from a cache, which it refreshes every 40 reads. */
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
