import { appendFileSync } from "node:fs";
import { type RealCluster, realCluster, type RealClusterOptions, whyNoRealCluster } from "@homeostat/kube";

/**
 * Why the real tier cannot run here, in one sentence, or undefined when it can.
 *
 * Where `HOMEOSTAT_E2E_REQUIRED` is set a missing Kubernetes is a failure and not a reason to skip.
 */
export async function reasonToSkip(options: RealClusterOptions): Promise<string | undefined> {
  const reason = await whyNoRealCluster(options);
  if (reason !== undefined && process.env["HOMEOSTAT_E2E_REQUIRED"] !== undefined) {
    throw new Error(`the real tier is required here but cannot run: ${reason}`);
  }
  return reason;
}

/** Starts a real Kubernetes for this suite alone. Reports on standard error what takes long, such as a first build. */
export async function startCluster(options: RealClusterOptions): Promise<RealCluster> {
  const startedMs = performance.now();
  const cluster = await realCluster({ ...options, report: (line) => process.stderr.write(`kube: ${line}\n`) });
  noteStart(performance.now() - startedMs);
  return cluster;
}

/** Writes down how long a start took, for the table that the test runner prints with `--times`. */
function noteStart(clusterMs: number): void {
  const costs = process.env["HOMEOSTAT_TEST_COSTS"];
  if (costs !== undefined) appendFileSync(costs, `${JSON.stringify({ file: process.argv[1], clusterMs })}\n`);
}
