import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The API server that e2e suites of this run share. The first suite that asks for it starts it. */
export interface SharedCluster {
  /** Removes the cluster, if a suite has started it; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Makes this process the owner of the shared cluster, and tells test files its name by HOMEOSTAT_E2E_SHARED.
 *
 * A watchdog of tools/kube removes the cluster when the pipe to it closes: by `stop`, and also when this process is killed.
 */
export function ownSharedCluster(): SharedCluster {
  const name = `shared-${process.pid}`;
  process.env["HOMEOSTAT_E2E_SHARED"] = `${name}:${process.pid}`;
  const program = fileURLToPath(new URL("../../kube/dist/clusters/watchdog-main.js", import.meta.url));
  const watchdog = spawn(process.execPath, ["--conditions=development", program, name], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(watchdog, "exit");
  return {
    stop: async () => {
      watchdog.stdin.end();
      await ended;
    },
  };
}
