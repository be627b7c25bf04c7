// Machines of developers that attach to a tunnel server as sandboxctl does, all in one process and with one key.
//
//   machines-process.js TUNNEL_PORT CA_SHA256 TARGET_PORT
//
// Prints its public key, reads one line with the LocalWorkloads as JSON, and prints "attached" when it is attached to all of them. Exits when its
// standard input ends, and with 1 when a tunnel ends.

import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { systemClock } from "@homeostat/core";
import { acceptStream, dialTunnel, MachineKey, spliceSocket } from "@homeostat/tunnel";
import type { WorkloadIdentity } from "./tunnel-cluster.ts";

const [tunnelPort = "", caSha256 = "", targetPort = ""] = process.argv.slice(2);
const host = "127.0.0.1";
const key = MachineKey.generate();
const life = new AbortController();

console.log(key.publicKey);
createInterface({ input: process.stdin })
  .once("line", (line) => void attachAll(JSON.parse(line)))
  .once("close", () => process.exit());

/** Attaches to LocalWorkloads, a few at a time. */
async function attachAll(workloads: readonly WorkloadIdentity[]): Promise<void> {
  const left = workloads.values();
  const attachNext = async (): Promise<void> => {
    for (const workload of left) await attach(workload);
  };
  await Promise.all(Array.from({ length: 20 }, attachNext));
  console.log("attached");
}

async function attach(workload: WorkloadIdentity): Promise<void> {
  const tunnel = await dialTunnel({
    clock: systemClock,
    randomBytes: (count) => randomBytes(count),
    signal: life.signal,
    address: `${host}:${tunnelPort}`,
    trust: { caSha256 },
    transports: ["tls"],
    connect: () => Promise.resolve(connect({ port: Number(tunnelPort), host, noDelay: true })),
    key,
    workload,
    client: { version: "bench", host: "bench" },
    onStream: (stream) =>
      acceptStream(stream, {
        clock: systemClock,
        expected: "in",
        onOffer: (offer) =>
          spliceSocket(
            offer.connect(),
            connect({ port: Number(targetPort), host, allowHalfOpen: true, noDelay: true }),
          ),
      }),
    onEnd: ({ reason, detail }) => {
      console.error(`The tunnel of ${workload.name} has ended: ${reason} ${detail}`);
      process.exit(1);
    },
  });
  tunnel.reportPort("http", "listening");
}
