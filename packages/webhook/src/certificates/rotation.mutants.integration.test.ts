// Verifies that the simulation of five years finds faults. Each one planted here is a mistake that a rotation could well have.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { ClusterModel, type Planted } from "../testing/cluster-model.ts";
import { simulateFiveYears } from "../testing/five-years.ts";
import { decide } from "./decide.ts";
import type { SecretStore, StoredSecret } from "./ports.ts";

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
        await simulateFiveYears(cluster, { isDisturbed: true });
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
