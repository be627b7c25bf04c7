// Runs every story twice on one API server: with a real kubelet and containers, and with the simulated node.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Client, loadConnection } from "@homeostat/client";
import { type SimulatedNode, startNode } from "@homeostat/cluster";
import type { RealCluster } from "@homeostat/kube";
import { Namespace, Node, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { scenarios } from "./scenarios.ts";
import { importShellImage, shellImage } from "./shell-image.ts";
import { Stage, type Story } from "./story.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? false;
const ours = "simulated-node";

describe("the simulated node, compared with a kubelet", { skip, timeout: 600_000 }, () => {
  const life = new AbortController();
  const following: Promise<void>[] = [];
  const stories = new Map<string, Promise<{ readonly real: Story; readonly mine: Story }>>();
  let cluster: RealCluster;
  let client: Client;
  let node: SimulatedNode;
  let real: Stage;
  let mine: Stage;

  before(async () => {
    cluster = await startCluster({ need: "node" });
    importShellImage(cluster.kubeconfigPath);
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    const { items } = await client.list(Node);
    const theirs = items.find(({ metadata }) => metadata.name !== ours)?.metadata.name ?? "";
    node = await startNode({
      server: await loadConnection({ file: cluster.kubeconfigPath }),
      name: ours,
      images: [shellImage],
    });
    await Promise.all([prepare(client, "stories-real"), prepare(client, "stories-ours")]);
    real = new Stage({ client, namespace: "stories-real", node: theirs });
    mine = new Stage({ client, namespace: "stories-ours", node: ours });
    following.push(real.follow(life.signal), mine.follow(life.signal));
    // In parallel, because stories mostly wait.
    for (const scenario of scenarios) {
      const story = Promise.all([real.play(scenario), mine.play(scenario)]).then(([one, other]) => ({
        real: one,
        mine: other,
      }));
      // A failure is reported by the story's own test.
      story.catch(() => undefined);
      stories.set(scenario.name, story);
    }
  });

  after(async () => {
    life.abort();
    await Promise.all(following);
    await node?.[Symbol.asyncDispose]();
    client?.close();
    await cluster?.stop();
  });

  for (const { name, changesAfterwards = false, until } of scenarios) {
    it(`behaves like a kubelet in the story "${name}"`, { timeout: 240_000 }, async () => {
      const story = await stories.get(name);
      assert.ok(story !== undefined);

      if (changesAfterwards || until === "gone") assert.deepEqual(blurred(story.mine.end), blurred(story.real.end));
      else await agree(() => Promise.all([mine.look(name), real.look(name)]));
      await agree(() => Promise.all([mine.events(name), real.events(name)]));
      // Either side may skip a short-lived state; the order must be the same.
      assertSameCourse(story.mine.phases, story.real.phases);
      for (const container of Object.keys(story.real.states))
        assertSameCourse(story.mine.states[container] ?? [], story.real.states[container] ?? []);
    });
  }

  it("registers itself like a kubelet", async () => {
    const { items } = await client.list(Node);
    const [one, other] = items.map(({ status, metadata }) => ({
      conditions: status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
      addresses: status?.addresses?.map(({ type }) => type),
      labels: Object.keys(metadata.labels ?? {}).sort(),
      version: status?.nodeInfo?.kubeletVersion,
    }));

    assert.deepEqual(one, other);
  });
});

/** Returns a pod without restart counts: on a slow machine a back-off is observed in a later round. */
function blurred(pod: unknown): unknown {
  return JSON.parse(
    JSON.stringify(pod)
      .replaceAll(/"restartCount":[1-9]\d*/g, '"restartCount":1')
      .replaceAll(/back-off \w+ /g, "back-off "),
  );
}

/** Waits until both sides are equal, because a slow machine may lag behind. */
async function agree<T>(look: () => Promise<readonly [mine: T, real: T]>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const [one, other] = await look();
    if (isDeepStrictEqual(one, other)) return;
    if (tries > 60) assert.deepEqual(one, other);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function prepare(client: Client, name: string): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await client.get(ServiceAccount, { namespace: name, name: "default" })) !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function assertSameCourse(mine: readonly string[], real: readonly string[]): void {
  const [short, long] = mine.length <= real.length ? [mine, real] : [real, mine];
  let at = 0;
  for (const state of short) {
    at = long.indexOf(state, at) + 1;
    if (at === 0) assert.deepEqual(mine, real);
  }
}
