import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { Place } from "./place.ts";
import { stories, type Story } from "./stories.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? false;

describe("a tenant on a real node, with real Redis", { skip, timeout: 900_000 }, () => {
  const plays = new Map<Story, Promise<void>>();
  let place: Place | undefined;

  before(async () => {
    const here = await Place.open({ volumes: 2 });
    place = here;
    // At the same time: most of a story is waiting.
    for (const story of stories) {
      const play = story.play(here);
      // One that fails is told in its own test, and nowhere else.
      play.catch(() => undefined);
      plays.set(story, play);
    }
  });

  after(async () => {
    await Promise.allSettled(plays.values());
    await place?.[Symbol.asyncDispose]();
  });

  for (const story of stories) it(story.title, async () => plays.get(story));
});
