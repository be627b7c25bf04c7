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

/** Starts a real Kubernetes, for this suite alone unless it is shared. Reports on standard error what takes long, such as a first build. */
export async function startCluster(options: RealClusterOptions): Promise<RealCluster> {
  const startedMs = performance.now();
  const cluster = await realCluster({ ...options, report: (line) => process.stderr.write(`kube: ${line}\n`) });
  noteStart(performance.now() - startedMs);
  return cluster;
}

/**
 * Returns the real API server that suites of one run share; starts it for the first of them.
 *
 * For suites that use namespaces, groups or dry runs of their own, and do not mind objects of others. A suite keeps a server
 * of its own with {@link startCluster} if it needs other flags, kills or measures the server, lists or counts objects of the
 * whole cluster, or writes what is valid for all: webhooks, policies, roles, API services, classes, quotas of `default`.
 * A file that was started without the test runner has a server of its own.
 */
export async function shareCluster(): Promise<RealCluster> {
  const [name, ownerPid] = (process.env["HOMEOSTAT_E2E_SHARED"] ?? "").split(":");
  const shared = name === undefined || ownerPid === undefined ? {} : { shared: { name, ownerPid: Number(ownerPid) } };
  return startCluster({ need: "apiserver", ...shared });
}

/** Writes down how long a start took, for the table that the test runner prints with `--times`. */
function noteStart(clusterMs: number): void {
  const costs = process.env["HOMEOSTAT_TEST_COSTS"];
  if (costs !== undefined) appendFileSync(costs, `${JSON.stringify({ file: process.argv[1], clusterMs })}\n`);
}
