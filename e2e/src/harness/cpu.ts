// Needs Linux for `/proc`.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RealCluster } from "@homeostat/kube";

interface ClusterRecord {
  readonly processes: readonly { readonly pid: number }[];
}

const ticksPerSecond = 100;

/** Returns the CPU time of the running processes of a cluster. */
export function cpuMsOf({ kubeconfigPath }: RealCluster): number {
  const text = readFileSync(join(dirname(kubeconfigPath), "cluster.json"), "utf8");
  const { processes } = JSON.parse(text) as ClusterRecord;
  return processes.reduce((sum, { pid }) => sum + cpuMsOfProcess(pid), 0);
}

/** Returns the CPU time of a process, or 0 if it has exited. */
export function cpuMsOfProcess(pid: number): number {
  try {
    // The second field is the command name in parentheses, which may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [user, system] = [fields[11], fields[12]];
    return ((Number(user) + Number(system)) * 1000) / ticksPerSecond;
  } catch {
    return 0;
  }
}
