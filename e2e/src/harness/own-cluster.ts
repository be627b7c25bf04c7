import type { RealCluster, RealClusterOptions } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "./cluster.ts";

// These suites give rights to made-up users, and sign with the server's key: never in a cluster that is somebody's.
const { HOMEOSTAT_E2E_KUBECONFIG: _file, HOMEOSTAT_E2E: _choice, ...env } = process.env;

/** Why no cluster of one's own can be started here, or undefined. */
export function reasonToSkipAuth(need: RealClusterOptions["need"] = "apiserver"): Promise<string | undefined> {
  return reasonToSkip({ need, env });
}

/** A cluster for a suite alone. */
export function startOwnCluster(need: RealClusterOptions["need"] = "apiserver"): Promise<RealCluster> {
  return startCluster({ need, env });
}
