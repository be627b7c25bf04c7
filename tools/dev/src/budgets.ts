import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The wall time in seconds that each test file of e2e may take on two quiet cores, by source file. */
export type Budgets = Readonly<Record<string, number>>;

/** The longest unit and integration tests, with their CPU seconds. They start first, so that none of them runs alone at the end. */
const longTests: Budgets = {
  "operators/chronik/src/reconcile/crash.integration.test.ts": 150,
  "operators/sandbox/src/reconcile/crash.integration.test.ts": 90,
  "operators/locust/src/reconcile/crash.integration.test.ts": 40,
  "operators/tenant/src/reconcile/crash.integration.test.ts": 40,
  "tools/dev/src/users/compile.integration.test.ts": 21,
  "operators/tenant/src/reconcile/clock.integration.test.ts": 20,
  "operators/locust/src/reconcile/clock.integration.test.ts": 16,
  "operators/chronik/src/reconcile/rollout.integration.test.ts": 16,
  "operators/chronik/src/reconcile/random-faults.integration.test.ts": 16,
  "operators/chronik/src/reconcile/bad-members.integration.test.ts": 15,
  "operators/chronik/src/reconcile/limits.integration.test.ts": 15,
  "operators/sandbox/src/reconcile/mesh-crash.integration.test.ts": 14,
  "operators/sandbox/src/reconcile/takeover.integration.test.ts": 13,
  "operators/chronik/src/reconcile/objects.integration.test.ts": 12,
  "apps/sandboxctl/src/guide.integration.test.ts": 10,
  "apps/start/src/start.integration.test.ts": 10,
  "operators/chronik/src/reconcile/changes.integration.test.ts": 9,
  "tools/dev/src/tidy/examples.integration.test.ts": 7,
  "operators/chronik/src/reconcile/life.test.ts": 6,
  "packages/webhook/src/certificates/rotation.test.ts": 6,
  "operators/locust/src/reconcile/progress.integration.test.ts": 6,
  "operators/sandbox/src/routes/compiler.histories.test.ts": 5,
  "operators/tenant/src/reconcile/changes.integration.test.ts": 5,
  "tools/dev/src/users/bundle.integration.test.ts": 4,
  "packages/runtime/src/election/simulation.test.ts": 3,
  "packages/client/src/sockets/reconnects.test.ts": 3,
  "packages/runtime/src/cache/cache.model.test.ts": 2,
};

/** Integration tests that wait for leases, polls and samples most of the time. They run beside the others. */
const waitingTests: ReadonlySet<string> = new Set([
  "apps/sandboxctl/src/preview/preview.integration.test.ts",
  "apps/start/src/start.integration.test.ts",
  "operators/chronik/src/main.integration.test.ts",
]);

/**
 * Volumes of random unit tests for `npm test`, in the variables that these tests read. With `--full` each test runs with its
 * own default, which is larger.
 */
export const unitSamples: Readonly<Record<string, string>> = {
  ELECTION_HANDOVERS: "15",
  HOMEOSTAT_KILLS: "5",
  // Fuzz tests of parsers have 100,000 inputs each.
  HOMEOSTAT_FUZZ_INPUTS: "4000",
  // Properties whose inputs are expensive have 1,000 to 10,000 runs each.
  HOMEOSTAT_PROPERTY_RUNS: "300",
  // The e2e suite runs the histories of the cache with a larger volume in every landing.
  HOMEOSTAT_HISTORIES: "500",
  HOMEOSTAT_WATCHES: "3000",
  HOMEOSTAT_ROTATION_SEEDS: "1",
  HOMEOSTAT_ROUTE_HISTORIES: "300",
  HOMEOSTAT_MANAGED_HISTORIES: "100",
};

/** The same for integration tests. */
export const integrationSamples: Readonly<Record<string, string>> = { CRASH_POINTS: "5" };

/** Volumes of integration tests with `--full`. */
export const integrationFull: Readonly<Record<string, string>> = { CRASH_POINTS: "all" };

/** Number of the longest unit and integration tests. */
export const longTestCount: number = Object.keys(longTests).length;

/** Reports whether a source file is one of the longest unit and integration tests. */
export function isLong(source: string): boolean {
  return Object.hasOwn(longTests, source);
}

/** Reports whether a source file is an integration test that mostly waits. */
export function isWaiting(source: string): boolean {
  return waitingTests.has(source);
}

/** Number of the integration tests that mostly wait. */
export const waitingTestCount: number = waitingTests.size;

/** Reads the budgets of `e2e/budgets.json`. */
export function readBudgets(root: string): Budgets {
  const { seconds } = readPlan(root);
  return Object.fromEntries(Object.entries(seconds).map(([file, each]) => [`e2e/src/${file}`, each]));
}

/** Returns the source files that depend on real time, such as leases and certificates of a few seconds. */
export function readQuietFiles(root: string): ReadonlySet<string> {
  return new Set(readPlan(root).quiet.map((file) => `e2e/src/${file}`));
}

interface Plan {
  readonly seconds: Readonly<Record<string, number>>;
  readonly quiet: readonly string[];
}

function readPlan(root: string): Plan {
  const parsed: unknown = JSON.parse(readFileSync(join(root, "e2e/budgets.json"), "utf8"));
  if (!isPlan(parsed)) throw new Error("e2e/budgets.json must have `seconds` (file to number) and `quiet` (files)");
  return parsed;
}

function isPlan(parsed: unknown): parsed is Plan {
  return typeof parsed === "object" && parsed !== null && "seconds" in parsed && "quiet" in parsed;
}

/**
 * Sorts compiled test files by their budgets, the longest first; those without a budget follow in their order.
 *
 * A long file that starts last runs alone while the other jobs have nothing left to do.
 */
export function longestFirst(compiled: readonly string[], budgets: Budgets): string[] {
  const budgetOf = (file: string): number => {
    const source = file.replace("/dist/", "/src/").replace(/\.js$/, ".ts");
    return budgets[source] ?? longTests[source] ?? 0;
  };
  return compiled.toSorted((a, b) => budgetOf(b) - budgetOf(a));
}
