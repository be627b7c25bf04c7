import { after, before, describe, it } from "node:test";
import type { TestCluster } from "../cluster/test-cluster.ts";
import type { CrashRun, Settling } from "./crash-run.ts";
import { checkCrashScenario, type CrashScenario } from "./crash-scenario.ts";
import { chosenSelection, type PointSelections } from "./points.ts";

/** Input of an operator for its crash tests. */
export interface CrashSuite<Cluster extends TestCluster, Run extends CrashRun<Outcome>, Outcome> {
  readonly cluster: () => Promise<Cluster>;
  readonly scenarios: Readonly<Record<string, CrashScenario<Cluster, Run, Outcome>>>;
  readonly points: PointSelections;
  readonly settling: Settling;
  /** Minimum number of changes in each scenario. */
  readonly changesMin: number;
}

/** Number of changes at the end of the shared steps that are tested again, because the scenarios diverge somewhere among them. */
const overlap = 2;

/**
 * Declares a test per scenario; see `checkCrashScenario`.
 *
 * `CRASH_POINTS=all` tests every point of the suite's exhaustive selection, `CRASH_POINTS=3` three points of each scenario.
 */
export function describeCrashes<Cluster extends TestCluster, Run extends CrashRun<Outcome>, Outcome>(
  title: string,
  { cluster: start, scenarios, points, settling, changesMin }: CrashSuite<Cluster, Run, Outcome>,
): void {
  const select = chosenSelection(points);
  const changesOf = new Map<string, number>();
  const sharedChanges = (startsLike: string | undefined): number => {
    if (startsLike === undefined) return 0;
    const changes = changesOf.get(startsLike);
    if (changes === undefined) throw new Error(`"${startsLike}" must be declared earlier and must have passed`);
    return Math.max(0, changes - overlap);
  };

  describe(title, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await start();
    });
    after(() => cluster[Symbol.asyncDispose]());

    for (const [index, [name, scenario]] of Object.entries(scenarios).entries()) {
      it(`${name} survives a crash at any request`, async () => {
        const check = { select, settling, changesMin, index, sharedChanges: sharedChanges(scenario.startsLike) };
        const { changes } = await checkCrashScenario(cluster, scenario, check);
        changesOf.set(name, changes.length);
      });
    }
  });
}
