import { after, before, describe, it } from "node:test";
import { whyNoKafkaImage } from "@homeostat/kafka";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { isFull } from "../../../harness/volume.ts";
import type { Judge } from "./judge.ts";
import { KafkaStage } from "./stage.ts";
import { longStories, stories } from "./stories.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? (await whyNoKafkaImage()) ?? false;

describe("a ChronikCluster of real Kafka on a real node", { skip, timeout: 3_600_000 }, () => {
  let stage: KafkaStage | undefined;
  let judge: Judge | undefined;

  before(async () => {
    stage = await KafkaStage.open({ hasTls: isFull() });
    await stage.create();
    await stage.untilRunning();
    judge = await stage.judge("records");
  });

  after(async () => {
    await stage?.[Symbol.asyncDispose]();
  });

  for (const story of isFull() ? [...stories, ...longStories] : stories)
    it(story.title, async () => {
      if (stage === undefined || judge === undefined) throw new Error("the cluster did not start");
      await story.play({ stage, judge });
      if (isFull()) await judge.verify();
    });

  it("has every acknowledged record", async () => {
    await judge?.verify();
  });
});
