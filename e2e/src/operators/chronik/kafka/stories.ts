// Stories of a cluster of real Kafka. They share one cluster and run one after the other; a judge produces records all the time.

import assert from "node:assert/strict";
import type { ChronikCluster } from "@homeostat/chronik-operator";
import type { Judge } from "./judge.ts";
import { clusterName, isRunning, type KafkaStage } from "./stage.ts";

/** The cluster and the client that judges it. */
export interface Scene {
  readonly stage: KafkaStage;
  readonly judge: Judge;
}

/** One story: its test name and its steps. */
export interface Story {
  readonly title: string;
  readonly play: (scene: Scene) => Promise<void>;
}

const controller = (ordinal: number): string => `${clusterName}-controller-${ordinal}`;
const ingest = (ordinal: number): string => `${clusterName}-ingest-${ordinal}`;

/** Stories of every run. */
export const stories: readonly Story[] = [
  {
    title: "restarts one member at a time for a new configuration, the leader of the controllers last",
    play: rollsConfiguration,
  },
  {
    title: "stops at one pod of a bad image, and replaces it at once when the image is corrected",
    play: survivesBadImage,
  },
];

async function rollsConfiguration({ stage }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();
  assert.equal(members.mostDown, 0);
  const leaders: string[] = [];

  await stage.change({
    config: {
      controller: { "metadata.log.max.snapshot.interval.ms": "1800000" },
      ingest: { "message.max.bytes": "2000000" },
    },
  });
  await stage.until("the end of the rollout", (cluster) => {
    const { leader } = cluster.status?.quorum ?? {};
    // The leader before the last controller is stopped.
    const isBefore = members.stopped.filter((name) => name.includes("-controller-")).length < 3;
    if (leader !== undefined && isBefore) leaders.push(leader);
    return isRunning(cluster);
  });

  assert.deepEqual(members.stopped.toSorted(), [0, 1, 2].flatMap((one) => [controller(one), ingest(one)]).toSorted());
  assert.equal(
    members.stopped.slice(0, 3).every((name) => name.includes("-controller-")),
    true,
    members.stopped.join(),
  );
  assert.equal(members.stopped[2], leaders.at(-1), "the leader restarts last");
  assert.equal(members.mostDown, 1, "one member is down at a time");
}

async function survivesBadImage({ stage, judge }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();
  const { image } = (await stage.cluster())?.spec ?? {};
  const before = await judge.counts();

  await stage.change({ image: { controller: "docker.io/local/chronik-kafka:broken" } });
  const blocked = await stage.until("a stopped rollout", ({ status }) =>
    (status?.rollout?.components ?? []).some(
      ({ component, blockedBy }) => component === "controller" && blockedBy === "NewPodNotReady",
    ),
  );
  assert.equal(blocked.status?.rollout?.components?.find(({ component }) => component === "controller")?.outdated, 2);
  await stage.eventually("records during the stopped rollout", async () => {
    const { acknowledged } = await judge.counts();
    return acknowledged > before.acknowledged + 200 ? true : undefined;
  });
  assert.equal(members.stopped.length, 1, members.stopped.join());
  assert.deepEqual(members.down, members.stopped);

  await stage.change({ image: { controller: image?.controller } });
  await stage.untilRunning();

  const [broken = ""] = members.stopped;
  assert.deepEqual(members.stopped, [broken, broken], "only the pod with the bad image restarts");
  assert.equal(members.mostDown, 1, "one member is down at a time");
}

/** Further stories, for `--full`. */
export const longStories: readonly Story[] = [
  { title: "recovers when processes of its members are killed", play: survivesKills },
  { title: "finishes a rollout although the operator is killed after each restart", play: survivesOperatorKills },
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
    const { acknowledged } = await judge.counts();
    await stage.kill(pod);
    await stage.eventually(`the loss of ${pod}`, async () => (members.ready.includes(pod) ? undefined : true));
    await stage.eventually(`the return of ${pod}`, async () => (members.ready.includes(pod) ? true : undefined));
    await stage.eventually("records after the loss", async () => {
      const counts = await judge.counts();
      return counts.acknowledged > acknowledged + 200 ? true : undefined;
    });
  }
  await stage.untilRunning();

  assert.deepEqual(members.stopped, [], "the operator restarts nothing");
}

async function survivesOperatorKills({ stage }: Scene): Promise<void> {
  const { members, operator } = stage;
  members.reset();
  let kills = 0;

  await stage.change({ config: { controller: {}, ingest: { "message.max.bytes": "3000000" } } });
  await stage.until("the end of the rollout", (cluster) => {
    const isOver = isRunning(cluster);
    if (!isOver && members.stopped.length > kills) {
      kills += 1;
      void operator.killAndRestart();
    }
    return isOver;
  });

  assert.equal(kills, 3);
  assert.deepEqual(members.stopped.toSorted(), [ingest(0), ingest(1), ingest(2)], "each member restarts once");
  assert.equal(members.mostDown, 1, "one member is down at a time");
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

async function drainsIngestNode({ stage }: Scene): Promise<void> {
  const { members } = stage;
  await stage.change({ ingestNodes: 4 });
  await stage.untilRunning();
  // The topic of this judge has replicas on all four nodes.
  const judge = await stage.judge("spread");
  const before = await stage.partitions(ingest(3));
  assert.ok(before > 0, "the node has replicas");
  members.reset();

  await stage.change({ ingestNodes: 3 });
  await stage.untilRunning();

  assert.deepEqual(members.stopped, [ingest(3)]);
  members.forget(ingest(3));
  assert.equal((await judge.counts()).failed, 0);
  await judge.verify();
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

function isTrue(status: ChronikCluster["status"] | undefined, condition: string): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === condition && is === "True") ?? false;
}

async function rotatesCertificate({ stage }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();

  await stage.certificates?.rotate();
  await stage.eventually("the first restart", async () => (members.stopped.length > 0 ? true : undefined));
  await stage.untilRunning();

  assert.equal(new Set(members.stopped).size, 6, members.stopped.join());
  assert.equal(members.stopped.length, 6, "each member restarts once");
  assert.equal(members.mostDown, 1, "one member is down at a time");
}

async function returnsOnRetainedVolumes({ stage }: Scene): Promise<void> {
  await stage.delete();
  assert.deepEqual(stage.members.ready, []);
  for (const ordinal of [0, 1, 2])
    for (const name of [controller(ordinal), ingest(ordinal)]) stage.members.forget(name);

  await stage.create();
  const { status } = await stage.untilRunning();

  assert.equal(status?.quorum?.voters, 3);
}
