import type { RealCluster, RealClusterOptions } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";

// These suites give rights to made-up users, and sign with the server's key: never in a cluster that is somebody's.
const { HOMEOSTAT_E2E_KUBECONFIG: _file, HOMEOSTAT_E2E: _choice, ...env } = process.env;
const options: RealClusterOptions = { need: "apiserver", env };

/** Why no API server can be started here, or undefined. */
export function reasonToSkipAuth(): Promise<string | undefined> {
  return reasonToSkip(options);
}

/** An API server for a suite alone. */
export function startOwnCluster(): Promise<RealCluster> {
  return startCluster(options);
}
