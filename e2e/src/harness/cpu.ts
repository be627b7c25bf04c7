// Linux only, as `/proc` is.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RealCluster } from "@homeostat/kube";

interface ClusterRecord {
  readonly processes: readonly { readonly pid: number }[];
}

const ticksPerSecond = 100;

/** The time that the processes of a cluster have had on the processors, of those that still run. */
export function cpuMsOf({ kubeconfigPath }: RealCluster): number {
  const text = readFileSync(join(dirname(kubeconfigPath), "cluster.json"), "utf8");
  const { processes } = JSON.parse(text) as ClusterRecord;
  return processes.reduce((sum, { pid }) => sum + cpuMsOfProcess(pid), 0);
}

/** The time that a process has had on the processors; none when it is gone. */
export function cpuMsOfProcess(pid: number): number {
  try {
    // The second field is a name in brackets, which may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [user, system] = [fields[11], fields[12]];
    return ((Number(user) + Number(system)) * 1000) / ticksPerSecond;
  } catch {
    return 0;
  }
}
