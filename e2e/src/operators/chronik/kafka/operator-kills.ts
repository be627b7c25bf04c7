// Kills the operator again and again while a story is played.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Scene, Story } from "./scene.ts";
import type { KafkaStage } from "./stage.ts";

const pollMs = 50;
/** Enough for every step of the longest story. A story cannot end while the operator never gets to its next step. */
const killsMax = 40;

/** Returns the same story with an operator that is killed, and started again, after each of its steps. */
export function withOperatorKills({ title, play }: Story): Story {
  return {
    title: `${title}, although the operator is killed after each step`,
    play: async (scene: Scene) => {
      const end = new AbortController();
      const killing = killAfterEachStep(scene.stage, end.signal);
      let kills = 0;
      try {
        await play(scene);
      } finally {
        end.abort();
        kills = await killing;
      }
      assert.ok(kills > 0, "the operator was killed");
    },
  };
}

async function killAfterEachStep(stage: KafkaStage, signal: AbortSignal): Promise<number> {
  let kills = 0;
  let before = await progress(stage);
  while (!signal.aborted && kills < killsMax) {
    const now = await progress(stage);
    if (now !== before) {
      await stage.operator.killAndRestart();
      kills += 1;
    }
    before = now;
    await sleep(pollMs);
  }
  return kills;
}

/** Returns what the operator has written so far, as text that differs after each step. */
async function progress(stage: KafkaStage): Promise<string> {
  const { items } = await stage.client.list(StatefulSet, { namespace: stage.namespace });
  const { metadata, status } = (await stage.cluster()) ?? {};
  return JSON.stringify([
    items.map((set) => [set.metadata.uid, set.metadata.generation]),
    [metadata?.uid, metadata?.deletionTimestamp, metadata?.finalizers],
    [status?.phase, status?.rollout?.lastRestartTime, status?.scaleDown, status?.quorum?.voters, status?.bootstrapped],
    stage.members.stopped.length,
  ]);
}
