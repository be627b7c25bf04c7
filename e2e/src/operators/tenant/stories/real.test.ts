import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { TenantStage } from "./stage.ts";
import { stories, type Story } from "./stories.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? false;

describe("a tenant on a real node, with real Redis", { skip, timeout: 900_000 }, () => {
  const plays = new Map<Story, Promise<void>>();
  let stage: TenantStage | undefined;

  before(async () => {
    const here = await TenantStage.open({ volumes: 2 });
    stage = here;
    // Stories run in parallel, because they mostly wait.
    for (const story of stories) {
      const play = story.play(here);
      // A failure is reported by the story's own test.
      play.catch(() => undefined);
      plays.set(story, play);
    }
  });

  after(async () => {
    await Promise.allSettled(plays.values());
    await stage?.[Symbol.asyncDispose]();
  });

  for (const story of stories) it(story.title, async () => plays.get(story));
});
