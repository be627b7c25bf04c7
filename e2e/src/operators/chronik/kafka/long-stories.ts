// Further stories of a cluster of real Kafka, for `--full`.

import assert from "node:assert/strict";
import { allMembers, controller, ingest, isTrue, type Scene, type Story } from "./scene.ts";
import { isRunning } from "./stage.ts";

/** Stories of runs with the full volume. */
export const longStories: readonly Story[] = [
  { title: "recovers when processes of its members are killed", play: survivesKills },
  { title: "adds two controllers as voters and removes them again", play: scalesControllers },
  { title: "moves all replicas away before it removes an ingest node", play: drainsIngestNode },
  { title: "keeps an ingest node whose replicas have no other place", play: keepsUndrainableNode },
  { title: "restarts one member at a time for a new certificate", play: rotatesCertificate },
  { title: "has its records when it is created again on retained volumes", play: returnsOnRetainedVolumes },
];

async function survivesKills({ stage, judge }: Scene): Promise<void> {
  const { members } = stage;
  const { quorum } = (await stage.cluster())?.status ?? {};
  members.reset();

  for (const pod of [quorum?.leader ?? "", ingest(0), ingest(2)]) {
    await stage.kill(pod);
    await stage.eventually(`the loss of ${pod}`, async () => (members.ready.includes(pod) ? undefined : true));
    await stage.eventually(`the return of ${pod}`, async () => (members.ready.includes(pod) ? true : undefined));
    await judge.more(200);
  }
  await stage.untilRunning();

  assert.deepEqual(members.stopped, [], "the operator restarts nothing");
}

async function scalesControllers({ stage }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();

  await stage.change({ controllers: 5 });
  const grown = await stage.untilRunning();
  assert.deepEqual([grown.status?.quorum?.voters, grown.status?.readyReplicas?.controllers], [5, 5]);
  assert.deepEqual(members.stopped, []);

  await stage.change({ controllers: 3 });
  const shrunk = await stage.untilRunning();
  assert.deepEqual([shrunk.status?.quorum?.voters, shrunk.status?.readyReplicas?.controllers], [3, 3]);
  assert.deepEqual(members.stopped, [controller(4), controller(3)]);
  for (const ordinal of [3, 4]) members.forget(controller(ordinal));
}

async function drainsIngestNode({ stage, round }: Scene): Promise<void> {
  const { members } = stage;
  await stage.change({ ingestNodes: 4 });
  await stage.untilRunning();
  // The topic of this judge has replicas on all four nodes.
  const judge = await stage.judge(`spread-${round}`);
  const before = await stage.partitions(ingest(3));
  assert.ok(before > 0, "the node has replicas");
  members.reset();

  await stage.change({ ingestNodes: 3 });
  await stage.untilRunning();

  assert.deepEqual(members.stopped, [ingest(3)]);
  members.forget(ingest(3));
  assert.equal((await judge.counts()).failed, 0);
  await judge.verify();
  await judge.remove();
}

async function keepsUndrainableNode({ stage }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();

  await stage.change({ ingestNodes: 2 });
  const blocked = await stage.until("a blocked scale-down", ({ status }) => isTrue(status, "ScaleDownBlocked"));
  assert.equal(blocked.status?.conditions?.find(({ type }) => type === "ScaleDownBlocked")?.reason, "DrainTimeout");
  assert.deepEqual(members.stopped, []);

  await stage.change({ ingestNodes: 3 });
  await stage.until(
    "an end of the drain",
    (cluster) => isRunning(cluster) && !isTrue(cluster.status, "ScaleDownBlocked"),
  );
  assert.deepEqual(members.stopped, []);
}

async function rotatesCertificate({ stage }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();

  await stage.certificates?.rotate();
  // A changed Secret is not a new generation: an operator that is killed after the first restart leaves the phase Running behind.
  await stage.until(
    "the end of the rollout",
    (cluster) => members.stopped.length >= allMembers.length && members.down.length === 0 && isRunning(cluster),
  );

  assert.deepEqual(members.stopped.toSorted(), allMembers.toSorted(), "each member restarts once");
  assert.equal(members.mostDown, 1, "one member is down at a time");
}

async function returnsOnRetainedVolumes({ stage, judge }: Scene): Promise<void> {
  await stage.delete();
  assert.deepEqual(stage.members.ready, []);
  for (const name of allMembers) stage.members.forget(name);

  await stage.create();
  const { status } = await stage.untilRunning();

  assert.equal(status?.quorum?.voters, 3);
  await judge.more(200);
}
