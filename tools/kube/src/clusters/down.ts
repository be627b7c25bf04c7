import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "../cache/memory-folder.ts";
import { withLock } from "../processes/lock.ts";
import { removeNodes } from "../nodes/node.ts";
import { type Environment, clusterFolder, clustersFolder } from "../cache/paths.ts";
import { isAlive } from "../processes/process-identity.ts";
import { markedProcesses, stopAll } from "../control-plane/processes.ts";
import { type ComponentProcess, clusterNames, isOrphan, readRecord, writeRecord } from "../records/state.ts";

/** Options of stopping. */
export interface DownOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
  readonly report: (line: string) => void;
}

/** Holds the lock of one cluster, so that it is not started and stopped at the same time. */
export async function lockCluster<T>(name: string, options: DownOptions, work: () => Promise<T>): Promise<T> {
  const lock = {
    what: `cluster ${name}`,
    waitMs: 3 * 60_000,
    signal: options.signal,
    onWait: (pid: number) => {
      options.report(`process ${pid} is busy with cluster ${name}; waiting for it`);
    },
  };
  return withLock(join(clustersFolder(options.env), `${name}.lock`), lock, work);
}

/**
 * Stops a cluster and removes everything, or with `keep` leaves its data for the next `up`.
 *
 * Returns false if the cluster does not exist.
 */
export async function down(name: string, options: DownOptions & { keep?: boolean }): Promise<boolean> {
  const { env } = options;
  if (!existsSync(clusterFolder(env, name))) return false;
  return lockCluster(name, options, async () => {
    if (!existsSync(clusterFolder(env, name))) return false;
    const record = readRecord(env, name);
    await stopCluster(env, name);
    if (options.keep === true && record?.phase === "running") {
      writeRecord(env, { ...record, phase: "stopped", processes: [] });
    } else await removeCluster(env, name);
    return true;
  });
}

/** Removes every cluster that was started for a process that has exited, such as a killed test. */
export async function cleanOrphans(options: DownOptions): Promise<void> {
  for (const name of clusterNames(options.env)) {
    const record = readRecord(options.env, name);
    if (record === undefined || !isOrphan(record)) continue;
    options.report(`removing cluster ${name}: its owner, process ${record.owner?.pid ?? "?"}, has exited`);
    await down(name, options);
  }
}

// The nodes stop first, with all their pods, as on a power failure; then the clients of the API server, then the API server; etcd
// last, because the API server hangs in its shutdown without etcd.
const order: readonly { readonly components: readonly string[]; readonly graceMs: number }[] = [
  { components: ["machine", "machine-init", "containerd", "kubelet", "kube-proxy", "coredns"], graceMs: 0 },
  { components: ["kube-controller-manager", "kube-scheduler"], graceMs: 2000 },
  { components: ["kube-apiserver"], graceMs: 1500 },
  { components: ["etcd"], graceMs: 3000 },
];

/** Stops all processes of a cluster in order, and removes what they left outside its folder. */
export async function stopCluster(env: Environment, name: string): Promise<void> {
  const record = readRecord(env, name);
  for (const { components, graceMs } of order) {
    const processes = (record?.processes ?? []).filter((one) => components.includes(programOf(one)) && isAlive(one));
    await stopAll(processes, graceMs);
  }
  // Processes that were started but not recorded, because their starter was killed.
  for (let round = 0; round < 5; round++) {
    const strays = markedProcesses(clusterFolder(env, name));
    if (strays.length === 0) break;
    await stopAll(strays, 1000);
  }
  if (record !== undefined) await removeNodes(record);
}

/** Returns the name of a component without the number of its node. */
function programOf({ component }: ComponentProcess): string {
  return component.replace(/-\d+$/, "");
}

/** Removes the folder of a stopped cluster and its data in memory. */
export async function removeCluster(env: Environment, name: string): Promise<void> {
  const folder = clusterFolder(env, name);
  rmSync(memoryFolder(folder), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
