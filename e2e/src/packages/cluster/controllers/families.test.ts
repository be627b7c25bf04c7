// Random families on the embedded API server: whatever is deleted, in whatever way, exactly those go that nobody owns any more.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client, Propagation } from "@homeostat/client";
import { type OwnerReference, SeededRandom } from "@homeostat/core";
import { ConfigMap, Namespace } from "@homeostat/kubernetes/core/v1";
import { pause, until } from "./scenario.ts";
import { embedded, type Subject } from "./subject.ts";

/** Who is there, and whom each belongs to. */
type Family = Map<string, readonly string[]>;

const ways: readonly Propagation[] = ["Background", "Foreground", "Orphan"];

/** The family as it should be after somebody was deleted. */
function without(family: Family, name: string, way: Propagation): Family {
  const left: Family = new Map(family);
  left.delete(name);
  if (way === "Orphan") {
    for (const [child, owners] of left)
      left.set(
        child,
        owners.filter((owner) => owner !== name),
      );
    return left;
  }
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const [child, owners] of left) {
      const alive = owners.filter((owner) => left.has(owner));
      if (alive.length === owners.length) continue;
      isChanged = true;
      if (alive.length === 0) left.delete(child);
      else left.set(child, alive);
    }
  }
  return left;
}

async function create(client: Client, namespace: string, random: SeededRandom): Promise<Family> {
  const family: Family = new Map();
  const uids = new Map<string, string>();
  for (let i = 0; i < 25; i += 1) {
    const older = [...family.keys()].filter(() => random.next() < 0.12);
    const ownerReferences: OwnerReference[] = older.map((name) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      name,
      uid: uids.get(name) ?? "",
      ...(random.next() < 0.5 ? { blockOwnerDeletion: true } : {}),
    }));
    const name = `m${i}`;
    const made = await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, ownerReferences },
    });
    uids.set(name, made.metadata.uid ?? "");
    family.set(name, older);
  }
  return family;
}

async function found(client: Client, namespace: string): Promise<Family> {
  const { items } = await client.list(ConfigMap, { namespace });
  const own = items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
  return new Map(
    own.map(({ metadata }) => [metadata.name ?? "", (metadata.ownerReferences ?? []).map(({ name }) => name)]),
  );
}

const text = (family: Family): string =>
  [...family]
    .map(([name, owners]) => `${name}(${[...owners].sort().join()})`)
    .sort()
    .join(" ");

describe("families of objects", () => {
  let subject: Subject;

  before(async () => {
    subject = await embedded();
  });

  after(async () => {
    await subject[Symbol.asyncDispose]();
  });

  for (const seed of [1, 2, 3, 4, 5]) {
    it(`lose exactly those that nobody owns any more, with seed ${seed}`, async () => {
      const { client } = subject;
      const random = new SeededRandom(seed);
      const namespace = `family-${seed}`;
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      let family = await create(client, namespace, random);

      for (let deletion = 0; deletion < 8 && family.size > 0; deletion += 1) {
        const name = [...family.keys()][random.int(family.size)] ?? "";
        const way = ways[random.int(ways.length)] ?? "Background";
        family = without(family, name, way);
        await client.delete(ConfigMap, { name, namespace }, { propagation: way });
        const wanted = text(family);
        await until(async () => text(await found(client, namespace)) === wanted, {
          what: `${way} of ${name}: ${wanted}`,
          ms: 60_000,
        });
      }
      await pause(500);

      assert.equal(text(await found(client, namespace)), text(family));
    });
  }
});
