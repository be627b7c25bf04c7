import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, clusterFolder, clustersFolder, ensureFolder } from "../cache/paths.ts";
import { type ProcessIdentity, isAlive, readIdentity } from "../processes/process-identity.ts";
import { field, isJsonObject, list, number, parseJson, text } from "../cache/shape.ts";

/** Kind of a cluster: only the API server, also the controllers and the scheduler, or also nodes. */
export type ClusterKind = "apiserver" | "control-plane" | "node";

/** Phase of a cluster. */
export type Phase =
  /** Being started by `starter`. If that process has exited, it was killed and the rest must be removed. */
  | "starting"
  /** Started completely. Its processes may have exited since. */
  | "running"
  /** Could not be started. Kept for its logs only. */
  | "failed"
  /** Stopped with its data kept; `up` continues with it. */
  | "stopped";

/** One process of a cluster. */
export interface ComponentProcess extends ProcessIdentity {
  readonly component: string;
}

/** Ports of a cluster, all on this machine only. */
export interface Ports {
  readonly apiserver: number;
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
}

/** The record of a cluster, in `cluster.json` in its folder. */
export interface ClusterRecord {
  readonly name: string;
  readonly kind: ClusterKind;
  readonly phase: Phase;
  /** Creation time, RFC 3339. */
  readonly created: string;
  readonly ports: Ports;
  /** Address of the API server. */
  readonly address: string;
  /** Folder of the binaries. */
  readonly binaries: string;
  /** Data directory of etcd: in memory if there is room, else in the cluster's folder. */
  readonly dataFolder: string;
  /** Slot of the address ranges; only with a node. */
  readonly slot?: number;
  /** Number of nodes; only with more than one. */
  readonly nodes?: number;
  /** The process that starts the cluster, while it is starting. */
  readonly starter?: ProcessIdentity;
  /** The owner: the cluster of a test is removed when the test process has exited. A cluster started by a person has no owner. */
  readonly owner?: ProcessIdentity;
  readonly processes: readonly ComponentProcess[];
}

/** Paths in the folder of a cluster. */
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

/** Writes the record atomically: a reader sees the old one or the new one. */
export function writeRecord(env: Environment, record: ClusterRecord): void {
  const { record: path } = clusterPaths(ensureFolder(clusterFolder(env, record.name)));
  writeFileSync(`${path}.tmp`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

/** Returns the record of a cluster; undefined if it is missing or invalid. */
export function readRecord(env: Environment, name: string): ClusterRecord | undefined {
  try {
    return parseRecord(parseJson(readFileSync(clusterPaths(clusterFolder(env, name)).record, "utf8")));
  } catch {
    return undefined;
  }
}

/** Returns the names of all clusters with a folder, even if their record is lost. */
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

/** State of a cluster without a request to it. */
export type ClusterState = "running" | "starting" | "broken" | "stopped" | "failed";

/** Returns the state of a cluster, with a check of its processes. */
export function clusterState(record: ClusterRecord): ClusterState {
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

/** Reports whether a cluster was started for a process that has exited. */
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

/** Parses a record from JSON; undefined if a required field is missing. */
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
  const nodes = number(value, "nodes");
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
    ...(nodes === undefined ? {} : { nodes }),
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
