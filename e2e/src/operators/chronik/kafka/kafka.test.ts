import { after, before, describe, it } from "node:test";
import { whyNoKafkaImage } from "@homeostat/kafka";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { isFull } from "../../../harness/volume.ts";
import type { Judge } from "./judge.ts";
import { longStories } from "./long-stories.ts";
import { drainStory, lossStory, nodeCount } from "./node-stories.ts";
import { withOperatorKills } from "./operator-kills.ts";
import { KafkaStage } from "./stage.ts";
import { stories } from "./stories.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? (await whyNoKafkaImage()) ?? false;

/** Every story once in peace, and once with an operator that is killed all the time. */
const fullStories = [
  ...[...stories, ...longStories, drainStory].flatMap((story) => [story, withOperatorKills(story)]),
  lossStory("node2"),
  withOperatorKills(lossStory("node3")),
];

describe("a ChronikCluster of real Kafka on real nodes", { skip, timeout: 7_200_000 }, () => {
  let stage: KafkaStage | undefined;
  let judge: Judge | undefined;

  before(async () => {
    stage = await KafkaStage.open({ hasTls: isFull(), nodes: isFull() ? nodeCount : 1 });
    await stage.create();
    await stage.untilRunning();
    judge = await stage.judge("records");
  });

  after(async () => {
    await stage?.[Symbol.asyncDispose]();
  });

  for (const [round, story] of (isFull() ? fullStories : stories).entries())
    it(story.title, async () => {
      if (stage === undefined || judge === undefined) throw new Error("the cluster did not start");
      await story.play({ stage, judge, round });
      if (isFull()) await judge.verify();
    });

  it("has every acknowledged record", async () => {
    await judge?.verify();
  });
});
