// A program that checks many clusters at rest: idle-clusters.js COUNT. It takes too long for a unit test; the end-to-end suite starts it.

import assert from "node:assert/strict";
import { Bench } from "./bench.ts";

const minutes = 10;

/** Checks that each cluster is reconciled about once per minute, and that no reconcile writes anything. */
async function checkIdleClusters(count: number): Promise<void> {
  await using bench = await Bench.start();
  const operator = await bench.run();
  const names = Array.from({ length: count }, (_, index) => `rest-${index}`);
  const tuning = { replicationFactor: 1, minInsyncReplicas: 1 };
  for (const name of names) await bench.create(name, { controllers: 1, ingestNodes: 1, tuning });
  for (const name of names) await bench.running(name);
  // The statuses settle within two periodic reconciles.
  await bench.pass(130_000, 130);
  const writesBefore = operator.writes().length;
  const before = successes(operator.registry.expose());

  await bench.pass(minutes * 60_000, minutes * 12);

  assert.deepEqual(operator.writes().slice(writesBefore), []);
  const reconciles = successes(operator.registry.expose()) - before;
  // The interval is a minute with a jitter of 10 %.
  assert.ok(reconciles >= count * (minutes - 1.5) && reconciles <= count * (minutes + 1.5), `${reconciles} reconciles`);
  const lastSuccesses = [...operator.registry.expose().matchAll(/^chronik_operator_last_success_.* (\S+)$/gm)];
  assert.equal(lastSuccesses.length, count);
  for (const [line, seconds] of lastSuccesses)
    assert.ok(bench.clock.now() / 1_000 - Number(seconds) <= 70, `${line} at ${bench.clock.now() / 1_000}`);
  process.stdout.write(`${count} clusters: ${reconciles} reconciles and no write in ${minutes} minutes\n`);
}

/** Returns the number of successful reconciles. */
function successes(page: string): number {
  const line = /^chronik_operator_reconciliations_total\{.*result="success".*\} (\d+)$/m.exec(page);
  return Number(line?.[1] ?? 0);
}

await checkIdleClusters(Number(process.argv[2]));
