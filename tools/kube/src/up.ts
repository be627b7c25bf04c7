import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Source, binariesFor, findBinaries } from "./binaries.ts";
import { build } from "./build.ts";
import { cleanOrphans, lockCluster, removeCluster, stopCluster } from "./down.ts";
import { ClusterStateError, ComponentFailedError, DiskFullError } from "./errors.ts";
import { requireGo } from "./go.ts";
import { withLock } from "./lock.ts";
import { newRecord } from "./new-record.ts";
import { checkName, clusterFolder, clustersFolder } from "./paths.ts";
import { startAll } from "./start.ts";
import { type ClusterKind, type ClusterRecord, readRecord, standing, writeRecord } from "./state.ts";
import type { UpOptions } from "./up-options.ts";

/** A cluster that runs. */
export interface Running {
  readonly record: ClusterRecord;
  readonly folder: string;
  /** Whether it ran before. */
  readonly already: boolean;
}

/**
 * Starts a cluster, or finds that it runs already.
 *
 * What a start that was killed left under that name is cleaned away first. When it fails, nothing runs any more and the
 * logs are kept; when it is interrupted, nothing is left.
 */
export async function up(options: UpOptions): Promise<Running> {
  const { env, signal, report } = options;
  const name = checkName(options.name);
  const folder = clusterFolder(env, name);
  await cleanOrphans(options);
  const binaries = await provide(findBinaries(options.kind, env), options);
  return lockCluster(name, { env, signal, report }, async () => {
    const found = readRecord(env, name);
    const stands = found === undefined ? undefined : standing(found);
    if (found !== undefined && stands === "running") {
      checkSame(found, options);
      return { record: found, folder, already: true };
    }
    const kept = stands === "stopped" ? found : undefined;
    if (kept !== undefined) checkKept(kept, options);
    if (kept === undefined && existsSync(folder)) {
      report(`cleaning away what is left of cluster ${name}`);
      await stopCluster(env, name);
      await removeCluster(env, name);
    }
    for (let attempt = 1; ; attempt++) {
      // One chooses at a time and writes down what it chose, so that two clusters never get the same port or addresses.
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
        // Between our choice of a port and its use somebody else can take it. A port that was asked for is not changed.
        const portLost = error instanceof ComponentFailedError && /address already in use/.test(error.logTail);
        if (portLost && attempt < 3 && options.port === undefined) continue;
        await giveUp(error, kept ?? record, options);
        throw error;
      }
    }
  });
}

/** Keeps the data of a cluster that was stopped, the logs of a start that failed, nothing of one that was interrupted. */
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
  options.report(`building ${source.missing.length} programs of Kubernetes first; minutes once, seconds after`);
  return build(binariesFor(options.kind), options);
}

function checkSame(found: ClusterRecord, options: UpOptions): void {
  const remedy = `Stop it first (npm run kube -- down --name ${found.name}), or choose another --name.`;
  const rank: readonly ClusterKind[] = ["apiserver", "control-plane", "node"];
  if (rank.indexOf(found.kind) < rank.indexOf(options.kind)) {
    throw new ClusterStateError(`Cluster ${found.name} runs already, as ${found.kind} only. ${remedy}`);
  }
  if (options.port !== undefined && options.port !== found.ports.apiserver) {
    throw new ClusterStateError(`Cluster ${found.name} runs already, on port ${found.ports.apiserver}. ${remedy}`);
  }
}

function checkKept(kept: ClusterRecord, { kind, report }: UpOptions): void {
  if (kept.kind !== kind) {
    throw new ClusterStateError(
      `Cluster ${kept.name} is stopped with its data kept, and is a ${kept.kind}. Start it as that, or remove it: npm run kube -- down --name ${kept.name}`,
    );
  }
  if (!existsSync(kept.dataFolder)) report("its data was in memory and is gone since this machine was started again");
}
