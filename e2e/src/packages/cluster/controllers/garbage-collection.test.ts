// Random owner graphs on the embedded API server: a deletion removes exactly the objects that have no owner left.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client, Propagation } from "@homeostat/client";
import { type OwnerReference, SeededRandom } from "@homeostat/core";
import { ConfigMap, Namespace } from "@homeostat/kubernetes/core/v1";
import { pause, until } from "./scenario.ts";
import { embedded, type Subject } from "./subject.ts";

/** Objects with their owners. */
type OwnerGraph = Map<string, readonly string[]>;

const ways: readonly Propagation[] = ["Background", "Foreground", "Orphan"];

/** Returns the expected owner graph after a deletion. */
function without(graph: OwnerGraph, name: string, way: Propagation): OwnerGraph {
  const left: OwnerGraph = new Map(graph);
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

async function create(client: Client, namespace: string, random: SeededRandom): Promise<OwnerGraph> {
  const graph: OwnerGraph = new Map();
  const uids = new Map<string, string>();
  for (let i = 0; i < 25; i += 1) {
    const older = [...graph.keys()].filter(() => random.next() < 0.12);
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
    graph.set(name, older);
  }
  return graph;
}

async function found(client: Client, namespace: string): Promise<OwnerGraph> {
  const { items } = await client.list(ConfigMap, { namespace });
  const own = items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
  return new Map(
    own.map(({ metadata }) => [metadata.name ?? "", (metadata.ownerReferences ?? []).map(({ name }) => name)]),
  );
}

const text = (graph: OwnerGraph): string =>
  [...graph]
    .map(([name, owners]) => `${name}(${[...owners].sort().join()})`)
    .sort()
    .join(" ");

describe("garbage collection of random owner graphs", () => {
  let subject: Subject;

  before(async () => {
    subject = await embedded();
  });

  after(async () => {
    await subject[Symbol.asyncDispose]();
  });

  for (const seed of [1, 2, 3, 4, 5]) {
    it(`deletes exactly the objects without a remaining owner (seed ${seed})`, async () => {
      const { client } = subject;
      const random = new SeededRandom(seed);
      const namespace = `family-${seed}`;
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      let graph = await create(client, namespace, random);

      for (let deletion = 0; deletion < 8 && graph.size > 0; deletion += 1) {
        const name = [...graph.keys()][random.int(graph.size)] ?? "";
        const way = ways[random.int(ways.length)] ?? "Background";
        graph = without(graph, name, way);
        await client.delete(ConfigMap, { name, namespace }, { propagation: way });
        const expected = text(graph);
        await until(async () => text(await found(client, namespace)) === expected, {
          what: `${way} of ${name}: ${expected}`,
          ms: 60_000,
        });
      }
      await pause(500);

      assert.equal(text(await found(client, namespace)), text(graph));
    });
  }
});
