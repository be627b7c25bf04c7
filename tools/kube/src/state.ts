import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, clusterFolder, clustersFolder, ensureFolder } from "./paths.ts";
import { type ProcessIdentity, isAlive, readIdentity } from "./process-identity.ts";
import { field, isJsonObject, list, number, parseJson, text } from "./shape.ts";

/** How much of a Kubernetes a cluster is: its API alone, with the controllers and the scheduler, or with a node too. */
export type ClusterKind = "apiserver" | "control-plane" | "node";

/** Where a cluster stands. */
export type Phase =
  /** Being started by `starter`; when that one is gone, it was killed on the way and the rest is to be cleaned away. */
  | "starting"
  /** Started completely. Whether its processes still run is another question. */
  | "running"
  /** Could not be started. Kept for its logs only. */
  | "failed"
  /** Stopped with its data kept; `up` goes on with it. */
  | "stopped";

/** One process of a cluster. */
export interface ComponentProcess extends ProcessIdentity {
  readonly component: string;
}

/** The ports a cluster listens on, all on this machine only. */
export interface Ports {
  readonly apiserver: number;
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
}

/** What is written down about a cluster, in `cluster.json` in its folder. */
export interface ClusterRecord {
  readonly name: string;
  readonly kind: ClusterKind;
  readonly phase: Phase;
  /** When it was made, RFC 3339. */
  readonly created: string;
  readonly ports: Ports;
  /** The address the API server listens on. */
  readonly address: string;
  /** The folder the binaries were taken from. */
  readonly binaries: string;
  /** Where etcd keeps its data: in memory where there is room, else in the cluster's folder. */
  readonly dataFolder: string;
  /** Which of the address ranges it has; only with a node. */
  readonly slot?: number;
  /** Who started it, while it is starting. */
  readonly starter?: ProcessIdentity;
  /** Whose it is: a test's cluster goes when the test's process is gone. A person's cluster has no owner. */
  readonly owner?: ProcessIdentity;
  readonly processes: readonly ComponentProcess[];
}

/** Where a cluster's parts lie in its folder. */
export function clusterPaths(folder: string): {
  record: string;
  kubeconfig: string;
  log: (component: string) => string;
} {
  return {
    record: join(folder, "cluster.json"),
    kubeconfig: join(folder, "kubeconfig"),
    log: (component) => join(folder, "log", `${component}.log`),
  };
}

/** Writes the record whole: a reader sees the old one or the new one. */
export function writeRecord(env: Environment, record: ClusterRecord): void {
  const { record: path } = clusterPaths(ensureFolder(clusterFolder(env, record.name)));
  writeFileSync(`${path}.tmp`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

/** The record of a cluster; undefined when there is none or it cannot be read. */
export function readRecord(env: Environment, name: string): ClusterRecord | undefined {
  try {
    return parseRecord(parseJson(readFileSync(clusterPaths(clusterFolder(env, name)).record, "utf8")));
  } catch {
    return undefined;
  }
}

/** The names of all clusters that have a folder, also of those whose record is lost. */
export function clusterNames(env: Environment): string[] {
  try {
    return readdirSync(clustersFolder(env), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}

/** What can be said about a cluster without asking it. */
export type Standing = "running" | "starting" | "broken" | "stopped" | "failed";

/** Where a cluster really stands, its processes looked at. */
export function standing(record: ClusterRecord): Standing {
  switch (record.phase) {
    case "starting":
      return record.starter !== undefined && isAlive(record.starter) ? "starting" : "broken";
    case "running":
      return record.processes.length > 0 && record.processes.every(isAlive) ? "running" : "broken";
    case "failed":
    case "stopped":
      return record.phase;
  }
}

/** Whether a cluster was made for a process that no longer runs. */
export function isOrphan(record: ClusterRecord): boolean {
  return record.owner !== undefined && !isAlive(record.owner);
}

const kinds: readonly string[] = ["apiserver", "control-plane", "node"] satisfies ClusterKind[];
const phases: readonly string[] = ["starting", "running", "failed", "stopped"] satisfies Phase[];

function isKind(value: unknown): value is ClusterKind {
  return typeof value === "string" && kinds.includes(value);
}

function isPhase(value: unknown): value is Phase {
  return typeof value === "string" && phases.includes(value);
}

/** Reads a record back from JSON; undefined when anything it needs is missing. */
export function parseRecord(value: unknown): ClusterRecord | undefined {
  const name = text(value, "name");
  const kind = field(value, "kind");
  const phase = field(value, "phase");
  const created = text(value, "created");
  const ports = parsePorts(field(value, "ports"));
  const address = text(value, "address");
  const binaries = text(value, "binaries");
  const dataFolder = text(value, "dataFolder");
  if (!isKind(kind) || !isPhase(phase) || name === undefined || created === undefined || ports === undefined)
    return undefined;
  if (address === undefined || binaries === undefined || dataFolder === undefined) return undefined;
  const slot = number(value, "slot");
  const starter = readIdentity(field(value, "starter"));
  const owner = readIdentity(field(value, "owner"));
  return {
    name,
    kind,
    phase,
    created,
    ports,
    address,
    binaries,
    dataFolder,
    ...(slot === undefined ? {} : { slot }),
    ...(starter === undefined ? {} : { starter }),
    ...(owner === undefined ? {} : { owner }),
    processes: list(value, "processes").flatMap((entry) => {
      const identity = readIdentity(entry);
      const component = text(entry, "component");
      return identity === undefined || component === undefined ? [] : [{ component, ...identity }];
    }),
  };
}

function parsePorts(value: unknown): Ports | undefined {
  if (!isJsonObject(value)) return undefined;
  const apiserver = number(value, "apiserver");
  const etcd = number(value, "etcd");
  const etcdPeer = number(value, "etcdPeer");
  const controllerManager = number(value, "controllerManager");
  const scheduler = number(value, "scheduler");
  if (apiserver === undefined || etcd === undefined || etcdPeer === undefined) return undefined;
  if (controllerManager === undefined || scheduler === undefined) return undefined;
  return { apiserver, etcd, etcdPeer, controllerManager, scheduler };
}
