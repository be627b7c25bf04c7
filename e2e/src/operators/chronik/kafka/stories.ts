// Stories of a cluster of real Kafka for every run. They share one cluster and run one after the other; a judge produces records all the time.

import assert from "node:assert/strict";
import type { ChronikCluster } from "@homeostat/chronik-operator";
import { allMembers, type Scene, type Story } from "./scene.ts";
import { isRunning } from "./stage.ts";

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

async function rollsConfiguration({ stage, round }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();
  assert.equal(members.mostDown, 0);
  const leaders: string[] = [];

  await stage.change({
    config: {
      controller: { "metadata.log.max.snapshot.interval.ms": String(1_800_000 + round) },
      ingest: { "message.max.bytes": String(2_000_000 + round) },
    },
  });
  await stage.until("the end of the rollout", (cluster) => {
    const { leader } = cluster.status?.quorum ?? {};
    // The leader before the last controller is stopped.
    const isBefore = members.stopped.filter((name) => name.includes("-controller-")).length < 3;
    if (leader !== undefined && isBefore) leaders.push(leader);
    return isRunning(cluster);
  });

  assert.deepEqual(members.stopped.toSorted(), allMembers.toSorted());
  assert.equal(
    members.stopped.slice(0, 3).every((name) => name.includes("-controller-")),
    true,
    members.stopped.join(),
  );
  assert.equal(members.stopped[2], leaders.at(-1), "the leader restarts last");
  assert.equal(members.mostDown, 1, "one member is down at a time");
}

type Rollout = NonNullable<NonNullable<NonNullable<ChronikCluster["status"]>["rollout"]>["components"]>[number];

const rolloutsOf = ({ status }: ChronikCluster): readonly Rollout[] => status?.rollout?.components ?? [];

async function survivesBadImage({ stage, judge }: Scene): Promise<void> {
  const { members } = stage;
  members.reset();
  const { image } = (await stage.cluster())?.spec ?? {};

  await stage.change({ image: { controller: "docker.io/local/chronik-kafka:broken" } });
  // Before the first restart, the same gate is closed while an ingest node of the story before has not been ready for long enough.
  const isBad = ({ component, blockedBy, message = "" }: Rollout): boolean =>
    component === "controller" && blockedBy === "NewPodNotReady" && message.includes("-controller-");
  const blocked = await stage.until("a stopped rollout", (cluster) => rolloutsOf(cluster).some(isBad));
  assert.equal(rolloutsOf(blocked).find(isBad)?.outdated, 2, "one controller has the bad image");
  await judge.more(200);
  assert.equal(members.stopped.length, 1, members.stopped.join());
  assert.deepEqual(members.down, members.stopped);

  await stage.change({ image: { controller: image?.controller } });
  await stage.untilRunning();

  const [broken = ""] = members.stopped;
  assert.deepEqual(members.stopped, [broken, broken], "only the pod with the bad image restarts");
  assert.equal(members.mostDown, 1, "one member is down at a time");
}
