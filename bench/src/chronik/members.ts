// Addresses of members, and the component contract of controllers: the address of a pod contains its cluster and its ordinal.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Number of controllers of every cluster. */
export const controllers = 3;

/** First value of the last part of an address, by component. Names of other pods get any address. */
const offsets = { controller: 1, ingest: 65, server: 1 } as const;

/** Returns the name of a cluster. */
export function clusterName(index: number): string {
  return `c${index}`;
}

/** Returns the address of a pod from its name, such as `c17-controller-2`. */
export function podAddress(podName: string): string {
  const [, cluster = "0", component, ordinal = "0"] =
    /^c(\d+)-(controller|ingest|server)-(\d+)$/.exec(podName) ?? /^c(\d+)-/.exec(podName) ?? [];
  const index = Number(cluster);
  const last =
    component === "controller" || component === "ingest" || component === "server"
      ? offsets[component] + Number(ordinal)
      : 129;
  return `10.${64 + (index >> 8)}.${index & 255}.${last}`;
}

/** Returns the loopback address at which the components respond in place of a pod. */
export function componentHost(podIP: string): string {
  return podIP.replace(/^10\./, "127.");
}

/** Starts a server that responds as every controller of every cluster, told apart by the address that was called. */
export async function startComponents(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer((request, response) => {
    const parts = (request.socket.localAddress ?? "").split(".").map(Number);
    const nodeId = parts.at(-1) ?? 0;
    if (request.url !== "/quorum" || nodeId > controllers) {
      response.writeHead(404).end();
      return;
    }
    const incarnation = (id: number): string => `${parts.slice(1, 3).join("-")}-${id}`;
    const ids = Array.from({ length: controllers }, (_, ordinal) => ordinal + 1);
    const voters = ids.map((id) => ({ id, incarnation: incarnation(id), caughtUp: true }));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ nodeId, incarnation: incarnation(nodeId), leaderId: 1, term: 1, voters }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // All loopback addresses: each pod has its own.
    server.listen(0, "0.0.0.0", resolve);
  });
  return { port: portOf(server.address()), server };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
