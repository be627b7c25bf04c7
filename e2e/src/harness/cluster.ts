import { appendFileSync } from "node:fs";
import { type RealCluster, realCluster, type RealClusterOptions, whyNoRealCluster } from "@homeostat/kube";

/**
 * Returns the reason why no real cluster can be started on this machine, or undefined.
 *
 * Throws instead if `HOMEOSTAT_E2E_REQUIRED` is set: CI must not skip these suites.
 */
export async function reasonToSkip(options: RealClusterOptions): Promise<string | undefined> {
  const reason = await whyNoRealCluster(options);
  if (reason !== undefined && process.env["HOMEOSTAT_E2E_REQUIRED"] !== undefined) {
    throw new Error(`HOMEOSTAT_E2E_REQUIRED is set, but no real cluster can be started: ${reason}`);
  }
  return reason;
}

/** Starts a real cluster for this suite, or uses the shared one. Reports slow steps, such as a first build, on standard error. */
export async function startCluster(options: RealClusterOptions): Promise<RealCluster> {
  const startedMs = performance.now();
  const cluster = await realCluster({ ...options, report: (line) => process.stderr.write(`kube: ${line}\n`) });
  noteStart(performance.now() - startedMs);
  return cluster;
}

/**
 * Returns the real API server that suites of one run share; the first suite starts it.
 *
 * For suites that use their own namespaces, groups or dry runs, and tolerate objects of other suites. A suite needs its own
 * server ({@link startCluster}) if it needs other flags, kills or measures the server, lists or counts objects of the whole
 * cluster, or writes objects that affect other suites: webhooks, policies, roles, API services, classes, quotas of `default`.
 * A file that is started without the test runner gets its own server.
 */
export async function shareCluster(): Promise<RealCluster> {
  const [name, ownerPid] = (process.env["HOMEOSTAT_E2E_SHARED"] ?? "").split(":");
  const shared = name === undefined || ownerPid === undefined ? {} : { shared: { name, ownerPid: Number(ownerPid) } };
  return startCluster({ need: "apiserver", ...shared });
}

/** Records the start time for the `--times` table of the test runner. */
function noteStart(clusterMs: number): void {
  const costs = process.env["HOMEOSTAT_TEST_COSTS"];
  if (costs !== undefined) appendFileSync(costs, `${JSON.stringify({ file: process.argv[1], clusterMs })}\n`);
}
