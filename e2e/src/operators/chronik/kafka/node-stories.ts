// Stories of the nodes that a cluster of real Kafka runs on, for `--full`. The judge runs on node1.

import assert from "node:assert/strict";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { loseNode } from "@homeostat/kube";
import { controller, ingest, type Scene, type Story } from "./scene.ts";
import type { KafkaStage } from "./stage.ts";

/** Number of nodes that the stories need: two of them are lost. */
export const nodeCount = 3;

/** The drain of a node. */
export const drainStory: Story = {
  title: "keeps its majority while a node with two controllers is drained",
  play: drainsNode,
};

/** Returns the story of a node that is lost for ever. */
export function lossStory(node: string): Story {
  return {
    title: `stops no other member while ${node} is lost, and finishes its rollout when the node is out of service`,
    play: (scene) => losesNode(scene, node),
  };
}

async function drainsNode({ stage, judge }: Scene): Promise<void> {
  const { members } = stage;
  await moveTo(stage, "node2", [controller(0), controller(1), ingest(0)]);
  members.reset();

  // Scratch files are in an emptyDir, which kubectl deletes only on request.
  const what = ["--pod-selector=app.kubernetes.io/component", "--delete-emptydir-data"];
  await stage.kubectl("drain", "node2", ...what, "--timeout=300s");
  await stage.untilRunning();

  assert.deepEqual(members.on("node2"), []);
  assert.deepEqual(members.stopped.toSorted(), [controller(0), controller(1), ingest(0)].toSorted());
  assert.equal(members.mostOfComponentDown, 1, "the budget allows one disruption per component");
  await stage.kubectl("uncordon", "node2");
  await judge.more(200);
}

async function losesNode({ stage, judge, round }: Scene, node: string): Promise<void> {
  const { members } = stage;
  const lost = [controller(2), ingest(2)];
  await moveTo(stage, node, lost);
  await moveTo(
    stage,
    "node1",
    members.on(node).filter((name) => !lost.includes(name)),
  );
  members.reset();

  await loseNode({ kubeconfigPath: stage.kubeconfigPath, node });
  await stage.until("the loss of two members", ({ status }) => {
    const { controllers, ingestNodes } = status?.readyReplicas ?? {};
    return controllers === 2 && ingestNodes === 2;
  });
  assert.deepEqual(members.stopped, [], "the operator waits for the node");
  await judge.more(200);

  await stage.change({
    config: {
      controller: { "metadata.log.max.snapshot.interval.ms": String(1_800_000 + round) },
      ingest: { "message.max.bytes": String(2_000_000 + round) },
    },
  });
  await stage.until("a blocked rollout", ({ status }) =>
    (status?.rollout?.components ?? []).some(
      ({ component, blockedBy }) => component === "controller" && blockedBy !== "" && blockedBy !== "Observed",
    ),
  );
  await judge.more(1_000);
  assert.deepEqual(
    members.stopped.filter((name) => !lost.includes(name)),
    [],
    "no member of another node is stopped",
  );

  // Kubernetes documents this taint as the way to say that a node is shut down: pods are removed without their kubelet.
  await stage.kubectl("taint", "node", node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
  await stage.untilRunning();
  assert.deepEqual(members.on(node), []);
  await judge.more(200);
}

/** Moves members to a node, one after the other. */
async function moveTo(stage: KafkaStage, node: string, pods: readonly string[]): Promise<void> {
  const others = ["node1", "node2", "node3"].filter((name) => name !== node);
  for (const other of others) await stage.kubectl("cordon", other);
  for (const name of pods) {
    if (stage.members.on(node).includes(name)) continue;
    await stage.client.delete(Pod, { namespace: stage.namespace, name });
    await stage.eventually(`${name} on ${node}`, async () =>
      stage.members.on(node).includes(name) && stage.members.ready.includes(name) ? true : undefined,
    );
    await stage.untilRunning();
  }
  for (const other of others) await stage.kubectl("uncordon", other);
}
