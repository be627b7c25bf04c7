import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "./memory-folder.ts";
import { withLock } from "./lock.ts";
import { removeNode } from "./node.ts";
import { type Environment, clusterFolder, clustersFolder } from "./paths.ts";
import { isAlive } from "./process-identity.ts";
import { markedProcesses, stopAll } from "./processes.ts";
import { clusterNames, isOrphan, readRecord, writeRecord } from "./state.ts";

/** What stopping needs to know. */
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
 * Stops a cluster and removes all it has, or with `keep` leaves its data for the next `up`.
 *
 * Returns false when there is no cluster of that name.
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

/** Removes every cluster that was made for a process which no longer runs, such as a test that was killed. */
export async function cleanOrphans(options: DownOptions): Promise<void> {
  for (const name of clusterNames(options.env)) {
    const record = readRecord(options.env, name);
    if (record === undefined || !isOrphan(record)) continue;
    options.report(`cleaning away cluster ${name}: process ${record.owner?.pid ?? "?"}, whose it was, is gone`);
    await down(name, options);
  }
}

// The node goes first, with all its pods, as if the power had failed; those that talk to the API server before it; and
// etcd last, because the API server hangs in its own shutdown when etcd is gone.
const order: readonly { readonly components: readonly string[]; readonly graceMs: number }[] = [
  { components: ["machine", "machine-init", "containerd", "kubelet", "kube-proxy", "coredns"], graceMs: 0 },
  { components: ["kube-controller-manager", "kube-scheduler"], graceMs: 2000 },
  { components: ["kube-apiserver"], graceMs: 1500 },
  { components: ["etcd"], graceMs: 3000 },
];

/** Ends all processes of a cluster, in order, and takes away what they left outside its folder. */
export async function stopCluster(env: Environment, name: string): Promise<void> {
  const record = readRecord(env, name);
  for (const { components, graceMs } of order) {
    const processes = (record?.processes ?? []).filter((one) => components.includes(one.component) && isAlive(one));
    await stopAll(processes, graceMs);
  }
  // Those that were started and never written down, because the one who started them was killed.
  for (let round = 0; round < 5; round++) {
    const strays = markedProcesses(clusterFolder(env, name));
    if (strays.length === 0) break;
    await stopAll(strays, 1000);
  }
  if (record !== undefined) await removeNode(record);
}

/** Removes the folder of a stopped cluster, and its data in memory. */
export async function removeCluster(env: Environment, name: string): Promise<void> {
  const folder = clusterFolder(env, name);
  rmSync(memoryFolder(folder), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
