import assert from "node:assert/strict";
import type { CrashPoint } from "../cluster/crashing-transport.ts";
import type { CrashRun, FinishedRun, Settling } from "./crash-run.ts";
import type { PointSelection, ScenarioPosition } from "./points.ts";

/** A sequence of steps during which an operator may crash. */
export interface CrashScenario<Cluster, Run extends CrashRun<Outcome>, Outcome> {
  /** Prepares a run: creates the primary object and what it needs. The operator starts afterwards. */
  open(cluster: Cluster): Promise<Run>;
  /** Plays the steps of users and of the cluster, each of which waits for what the operator does. */
  play(run: Run): Promise<void>;
  /** Name of the scenario that has the same first steps: crash points among the shared steps are tested only there. */
  readonly startsLike?: string | undefined;
  /** Checks the outcome. Default: it equals the outcome without a crash. `crash` is undefined for the run without one. */
  check?(outcome: Outcome, context: { readonly crash: CrashPoint | undefined; readonly where: string }): void;
}

/** Options of {@link checkCrashScenario}. */
export interface CrashCheck extends ScenarioPosition {
  readonly select: PointSelection;
  readonly settling: Settling;
  /** Minimum number of changes in the scenario, to detect a scenario that tests nothing. */
  readonly changesMin: number;
}

/**
 * Runs a scenario once without a crash, and once per crash point: the operator crashes there, a new one takes over, and the
 * outcome must be the same, with no writes after everything has settled. Returns the run without a crash.
 */
export async function checkCrashScenario<Cluster, Run extends CrashRun<Outcome>, Outcome>(
  cluster: Cluster,
  scenario: CrashScenario<Cluster, Run, Outcome>,
  { select, settling, changesMin, ...position }: CrashCheck,
): Promise<FinishedRun> {
  const expected = await playToEnd(cluster, scenario, { crash: undefined, settling });

  assert.ok(
    expected.changes.length >= changesMin,
    `${expected.changes.length} changes, at least ${changesMin} expected`,
  );
  assert.deepEqual(expected.lateWrites, [], "writes after everything had settled, without a crash");
  scenario.check?.(expected.outcome, { crash: undefined, where: "without a crash" });
  for (const crash of select(expected, position)) {
    const where = `crash ${crash.when} request ${crash.nth} of ${expected.requests}`;
    const { outcome, lateWrites } = await playToEnd(cluster, scenario, { crash, settling });
    if (scenario.check === undefined) assert.deepEqual(outcome, expected.outcome, where);
    else scenario.check(outcome, { crash, where });
    assert.deepEqual(lateWrites, [], `writes after everything had settled, ${where}`);
  }
  return expected;
}

/** Runs a scenario once. Returns its requests and its outcome. */
export async function playToEnd<Cluster, Run extends CrashRun<Outcome>, Outcome>(
  cluster: Cluster,
  scenario: CrashScenario<Cluster, Run, Outcome>,
  { crash, settling }: { readonly crash: CrashPoint | undefined; readonly settling: Settling },
): Promise<FinishedRun & { readonly outcome: Outcome }> {
  const run = await scenario.open(cluster);
  await run.start(crash);
  await scenario.play(run);
  const finished = await run.finish(settling);
  const outcome = await run.outcome();
  await run.cleanUp();
  return { ...finished, outcome };
}
