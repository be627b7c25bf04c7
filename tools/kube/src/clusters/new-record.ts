import { join } from "node:path";
import { ClusterStateError } from "../errors.ts";
import { freeSlot, nodeLayout, slotCount } from "../records/layout.ts";
import { makeMemoryFolder } from "../cache/memory-folder.ts";
import { checkPort, choosePorts, isFree } from "../processes/ports.ts";
import { identify } from "../processes/process-identity.ts";
import { tryRun } from "../processes/run.ts";
import { list, parseJson, text } from "../cache/shape.ts";
import { type ClusterRecord, type Ports, clusterNames, readRecord } from "../records/state.ts";
import { now } from "../processes/time.ts";
import type { UpOptions } from "./up-options.ts";

/** Options of a cluster record. */
export interface NewRecord {
  readonly options: UpOptions;
  readonly name: string;
  readonly folder: string;
  readonly binaries: string;
  /** The record of a stopped cluster whose data is used again. */
  readonly kept: ClusterRecord | undefined;
}

/** Returns the record of a cluster that is about to start: its ports, addresses and folders. */
export async function newRecord({ options, name, folder, binaries, kept }: NewRecord): Promise<ClusterRecord> {
  const others = clusterNames(options.env)
    .filter((other) => other !== name)
    .flatMap((other) => readRecord(options.env, other) ?? []);
  const slot = options.kind === "node" ? (kept?.slot ?? (await chooseSlot(others))) : undefined;
  // Only this machine can reach it: by loopback, or by the veth interface of the node.
  const address = slot === undefined ? "127.0.0.1" : nodeLayout(slot).hostAddress;
  const starter = identify(process.pid);
  return {
    name,
    kind: options.kind,
    phase: "starting",
    created: kept?.created ?? now().toISOString(),
    ports: await allPorts(options, others, kept),
    address,
    binaries,
    dataFolder: kept?.dataFolder ?? join(makeMemoryFolder(folder) ?? folder, "etcd"),
    ...(slot === undefined ? {} : { slot }),
    ...(slot === undefined || (options.nodes ?? 1) === 1 ? {} : { nodes: options.nodes ?? 1 }),
    ...(starter === undefined ? {} : { starter }),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    processes: [],
  };
}

async function allPorts(
  options: UpOptions,
  others: readonly ClusterRecord[],
  kept: ClusterRecord | undefined,
): Promise<Ports> {
  // A port that is free on every address is also free on the veth interface, which does not exist yet.
  if (options.port !== undefined) await checkPort(options.port, options.kind === "node" ? "0.0.0.0" : "127.0.0.1");
  const wanted = options.port === undefined ? kept?.ports : undefined;
  if (
    wanted !== undefined &&
    (await Promise.all(Object.values(wanted).map(async (port) => isFree(Number(port))))).every(Boolean)
  ) {
    return wanted;
  }
  const taken = new Set(others.flatMap((other) => Object.values(other.ports).map(Number)));
  if (options.port !== undefined) taken.add(options.port);
  const chosen = await choosePorts({ howMany: 5, seed: `${options.name} ${process.pid}`, taken });
  const [first = 0, etcd = 0, etcdPeer = 0, controllerManager = 0, scheduler = 0] = chosen;
  return { apiserver: options.port ?? first, etcd, etcdPeer, controllerManager, scheduler };
}

async function chooseSlot(others: readonly ClusterRecord[]): Promise<number> {
  const routes = list({ routes: parseJson((await tryRun("ip", ["-json", "-4", "route"])).stdout) }, "routes");
  const taken = new Set(others.flatMap((other) => other.slot ?? []));
  const slot = freeSlot(
    taken,
    routes.flatMap((route) => text(route, "dst") ?? []),
  );
  if (slot !== undefined) return slot;
  throw new ClusterStateError(
    `All ${slotCount} address ranges for nodes (10.200.0.0/16 to 10.231.0.0/16) are in use. Stop a cluster with a node.`,
  );
}
