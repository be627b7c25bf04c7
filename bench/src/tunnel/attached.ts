// The real tunnel server with attached machines: time until sandboxctl works, and memory.

import { setTimeout } from "node:timers/promises";
import { freePorts } from "@homeostat/operator-testing";
import { MachineKey } from "@homeostat/tunnel";
import { median } from "../harness/measure.ts";
import { step, within } from "../harness/within.ts";
import { LoadConnection } from "./load-client.ts";
import { type Machines, rssMib, type Subjects } from "./subjects.ts";
import { TunnelCluster, type WorkloadIdentity } from "./tunnel-cluster.ts";

/** Memory of the tunnel server with attached machines, and the time until a machine works. */
export interface AttachedTunnels {
  readonly tunnels: number;
  /** Memory of the server without tunnels, and with all of them at rest, in MiB. */
  readonly emptyMib: number;
  readonly allMib: number;
  /** Highest memory of the server since its start, in MiB. */
  readonly peakMib: number;
  /** From the start of `sandboxctl local connect` until the response to the first request has arrived, in milliseconds. */
  readonly attachMs: number;
}

/** Time after which the server has returned memory to the system. */
const restMs = 15_000;
const attachRounds = 5;
/** Time of a request, time until the first one is answered, and time of a step. */
const requestMs = 10_000;
const responseMs = 60_000;
const stepMs = 300_000;

/** Measures the tunnel server of apps/tunnel on an embedded API server. */
export async function measureAttached(
  subjects: Subjects,
  { tunnels, node }: { readonly tunnels: number; readonly node: string },
): Promise<AttachedTunnels> {
  await using cluster = await step("attached, control plane", stepMs, () => TunnelCluster.start(subjects.folder));
  const server = await subjects.startTunnelServer({ node, cluster });
  const stage = { node, cluster, tunnelPort: server.port };
  const attachMs = await step("attached, sandboxctl", stepMs, () => measureAttach(subjects, stage));
  await setTimeout(restMs);
  const emptyMib = rssMib(server.process);
  await step(`attached, ${tunnels} machines`, 2 * stepMs, () => attachMany(subjects, { ...stage, tunnels }));
  await setTimeout(restMs);
  return {
    tunnels,
    emptyMib,
    allMib: rssMib(server.process),
    peakMib: rssMib(server.process, "peak"),
    attachMs,
  };
}

/** A tunnel server that listens for clients, and its control plane. */
interface Stage {
  readonly node: string;
  readonly cluster: TunnelCluster;
  readonly tunnelPort: number;
}

/** Runs sandboxctl for a LocalWorkload that exists, and returns the median time until a request reaches the target. */
async function measureAttach(subjects: Subjects, { node, cluster, tunnelPort }: Stage): Promise<number> {
  const [listenPort = 0] = await freePorts(1);
  const name = "laptop";
  // sandboxctl adds its own key.
  const { publicKey } = MachineKey.generate();
  await cluster.createWorkload({ name, listenPort, localPort: subjects.target, publicKey, tunnelPort });
  const times: number[] = [];
  // The first run is not counted: it creates the key of the machine, and fills the caches of the system.
  for (let round = 0; round <= attachRounds; round += 1) {
    const start = performance.now();
    const sandboxctl = subjects.startSandboxctl({ node, cluster, name });
    await untilResponds(listenPort, sandboxctl);
    if (round > 0) times.push(performance.now() - start);
    await sandboxctl.stop();
    await untilClosed(listenPort);
  }
  return median(times);
}

/** Attaches machines of one process to as many LocalWorkloads. */
async function attachMany(
  subjects: Subjects,
  { node, cluster, tunnelPort, tunnels }: Stage & { readonly tunnels: number },
): Promise<void> {
  const machines = await subjects.startMachines({ node, tunnelPort, caSha256: cluster.caSha256 });
  const ports = await freePorts(tunnels);
  const workloads: WorkloadIdentity[] = [];
  const left = ports.entries();
  const createNext = async (): Promise<void> => {
    for (const [index, listenPort] of left)
      workloads.push(
        await cluster.createWorkload({
          name: `machine-${index}`,
          listenPort,
          localPort: subjects.target,
          publicKey: machines.publicKey,
          tunnelPort,
        }),
      );
  };
  await Promise.all(Array.from({ length: 10 }, createNext));
  // The server refuses machines of LocalWorkloads that its cache does not have yet, and nothing shows from outside what the cache has.
  await setTimeout(2_000);
  await machines.attach(workloads);
  for (const port of ports) await untilResponds(port, machines);
}

async function request(port: number): Promise<void> {
  const connection = await within(requestMs, "a connection", LoadConnection.open(port));
  try {
    await within(requestMs, "a request", connection.exchange({ requestBytes: 1_024, responseBytes: 1_024 }));
  } finally {
    connection.close();
  }
}

/** Sends requests to a port until one is answered. */
async function untilResponds(port: number, machine: Pick<Machines, "failIfEnded">): Promise<void> {
  const end = performance.now() + responseMs;
  for (;;) {
    machine.failIfEnded();
    try {
      return await request(port);
    } catch (error) {
      if (performance.now() > end)
        throw new Error(`port ${port} of the tunnel server does not respond`, { cause: error });
      // Nothing listens yet.
      await setTimeout(5);
    }
  }
}

async function untilClosed(port: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    try {
      const connection = await LoadConnection.open(port);
      connection.close();
    } catch {
      return;
    }
    await setTimeout(10);
  }
  throw new Error(`the tunnel server still listens on port ${port}`);
}
