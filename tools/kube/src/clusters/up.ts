import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Source, binariesFor, findBinaries } from "../builds/binaries.ts";
import { build } from "../builds/build.ts";
import { cleanOrphans, lockCluster, removeCluster, stopCluster } from "./down.ts";
import { ClusterStateError, ComponentFailedError, DiskFullError } from "../errors.ts";
import { requireGo } from "../builds/go.ts";
import { withLock } from "../processes/lock.ts";
import { newRecord } from "./new-record.ts";
import { checkName, clusterFolder, clustersFolder } from "../cache/paths.ts";
import { startAll } from "./start.ts";
import { type ClusterKind, type ClusterRecord, readRecord, clusterState, writeRecord } from "../records/state.ts";
import type { UpOptions } from "./up-options.ts";

/** A running cluster. */
export interface Running {
  readonly record: ClusterRecord;
  readonly folder: string;
  /** True if it was already running. */
  readonly already: boolean;
}

/**
 * Starts a cluster, or returns the running one.
 *
 * Removes leftovers of a killed start of that name first. On failure, nothing runs and the logs are kept; on an interrupt, nothing
 * is left.
 */
export async function up(options: UpOptions): Promise<Running> {
  const { env, signal, report } = options;
  const name = checkName(options.name);
  const folder = clusterFolder(env, name);
  await cleanOrphans(options);
  const binaries = await provide(findBinaries(options.kind, env), options);
  return lockCluster(name, { env, signal, report }, async () => {
    const found = readRecord(env, name);
    const stands = found === undefined ? undefined : clusterState(found);
    if (found !== undefined && stands === "running") {
      checkSame(found, options);
      return { record: found, folder, already: true };
    }
    const kept = stands === "stopped" ? found : undefined;
    if (kept !== undefined) checkKept(kept, options);
    if (kept === undefined && existsSync(folder)) {
      report(`removing leftovers of cluster ${name}`);
      await stopCluster(env, name);
      await removeCluster(env, name);
    }
    for (let attempt = 1; ; attempt++) {
      // Only one process chooses at a time and records its choice, so that two clusters never get the same port or addresses.
      const choosing = { what: "choosing ports", waitMs: 30_000, signal };
      const record = await withLock(join(clustersFolder(env), "choose.lock"), choosing, async () => {
        const chosen = await newRecord({ options, name, folder, binaries, kept });
        writeRecord(env, chosen);
        return chosen;
      });
      try {
        return { record: await startAll(record, folder, options), folder, already: false };
      } catch (error) {
        await stopCluster(env, name);
        // Another process can take a port between the choice and its use. A port given by the user is not changed.
        const portLost = error instanceof ComponentFailedError && /address already in use/.test(error.logTail);
        if (portLost && attempt < 3 && options.port === undefined) continue;
        await giveUp(error, kept ?? record, options);
        throw error;
      }
    }
  });
}

/** Keeps the data of a stopped cluster and the logs of a failed start, but nothing of an interrupted one. */
async function giveUp(error: unknown, record: ClusterRecord, { env }: UpOptions): Promise<void> {
  if (record.phase === "stopped") writeRecord(env, record);
  else if (error instanceof ComponentFailedError || error instanceof DiskFullError) {
    const { starter: _, ...rest } = record;
    writeRecord(env, { ...rest, phase: "failed", processes: [] });
  } else await removeCluster(env, record.name);
}

async function provide(source: Source, options: UpOptions): Promise<string> {
  if (source.from === "assets" || source.missing.length === 0) return source.folder;
  await requireGo(options.env, options.signal);
  options.report(`building ${source.missing.length} binaries first; this takes minutes, but only once`);
  return build(binariesFor(options.kind), options);
}

function checkSame(found: ClusterRecord, options: UpOptions): void {
  const remedy = `Stop it first (npm run kube -- down --name ${found.name}), or choose another --name.`;
  const rank: readonly ClusterKind[] = ["apiserver", "control-plane", "node"];
  if (rank.indexOf(found.kind) < rank.indexOf(options.kind)) {
    throw new ClusterStateError(`Cluster ${found.name} is already running, as ${found.kind} only. ${remedy}`);
  }
  if (options.kind === "node" && nodeCount(found) !== nodeCount(options)) {
    throw new ClusterStateError(`Cluster ${found.name} is already running, with ${nodesText(found)}. ${remedy}`);
  }
  if (options.port !== undefined && options.port !== found.ports.apiserver) {
    throw new ClusterStateError(
      `Cluster ${found.name} is already running, on port ${found.ports.apiserver}. ${remedy}`,
    );
  }
}

function checkKept(kept: ClusterRecord, options: UpOptions): void {
  const stopped = `Cluster ${kept.name} is stopped with its data kept`;
  const remove = `remove it: npm run kube -- down --name ${kept.name}`;
  if (kept.kind !== options.kind) {
    throw new ClusterStateError(`${stopped}, and its kind is ${kept.kind}. Start it with that kind, or ${remove}`);
  }
  if (nodeCount(kept) !== nodeCount(options)) {
    throw new ClusterStateError(`${stopped}, and it has ${nodesText(kept)}. Start it with as many, or ${remove}`);
  }
  if (!existsSync(kept.dataFolder))
    options.report("its data was in memory and was lost when this machine was restarted");
}

function nodeCount({ nodes = 1 }: { readonly nodes?: number | undefined }): number {
  return nodes;
}

function nodesText(record: ClusterRecord): string {
  return nodeCount(record) === 1 ? "1 node" : `${nodeCount(record)} nodes`;
}
