import type { RealCluster, RealClusterOptions } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "./cluster.ts";

// Suites with their own cluster grant permissions to invented users and use the server's signing key. They must not run in a
// cluster that HOMEOSTAT_E2E_KUBECONFIG refers to.
const { HOMEOSTAT_E2E_KUBECONFIG: _file, HOMEOSTAT_E2E: _choice, ...env } = process.env;

/** Returns the reason why no cluster can be started here, or undefined. */
export function reasonToSkipOwnCluster(need: RealClusterOptions["need"] = "apiserver"): Promise<string | undefined> {
  return reasonToSkip({ need, env });
}

/** Starts a cluster for this suite alone. */
export function startOwnCluster(need: RealClusterOptions["need"] = "apiserver"): Promise<RealCluster> {
  return startCluster({ need, env });
}
