import assert from "node:assert/strict";
import { type ClusterModel, dayMs, hourMs, minuteMs } from "./cluster-model.ts";

/** Simulates five years with or without disturbances. Stops at the first violation. */
export async function simulateFiveYears(
  cluster: ClusterModel,
  { isDisturbed }: { isDisturbed: boolean },
): Promise<void> {
  for (const replica of cluster.replicas) cluster.start(replica);
  await cluster.clock.advance(hourMs);
  assert.ok(cluster.replicas.every(({ serving }) => serving !== undefined));
  cluster.isChecking = true;
  cluster.failurePercent = isDisturbed ? 3 : 0;
  for (let day = 0; day < 5 * 365 && cluster.violations.length === 0; day += 1) {
    if (isDisturbed) disturb(cluster);
    await cluster.clock.advance(dayMs);
    cluster.check("a day later");
  }
  for (const { stop } of cluster.replicas) stop.abort();
  await cluster.clock.advance(minuteMs);
}

function disturb(cluster: ClusterModel): void {
  const { random, replicas, clock } = cluster;
  const one = replicas[random.int(2)];
  const other = replicas.find((replica) => replica !== one);
  const chance = random.int(1000);
  if (one === undefined || other?.serving === undefined) return;
  if (chance < 30) one.cutOffUntil = clock.now() + random.int(20) * dayMs;
  else if (chance < 60) cluster.restart(one);
  else if (chance < 70) cluster.secret = undefined;
  else if (chance < 80 && cluster.secret !== undefined) {
    const broken = chance % 2 === 0 ? { "rotation.json": "{" } : { "tls.key": "" };
    cluster.secret = { data: { ...cluster.secret.data, ...broken }, version: cluster.secret.version + 1_000_000 };
  }
}
