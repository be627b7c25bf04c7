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

/** A real Kubernetes for this suite alone. Says on standard error what takes long, such as a first build. */
export function startCluster(options: RealClusterOptions): Promise<RealCluster> {
  return realCluster({ ...options, report: (line) => process.stderr.write(`kube: ${line}\n`) });
}
