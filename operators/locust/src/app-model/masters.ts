import type { Network } from "@homeostat/cluster/app-model";
import type { LocustMaster } from "./master.ts";

// Registry by which workers find their master within one simulated network. They call each other instead of using ZeroMQ sockets.
const masters = new WeakMap<Network, Map<string, LocustMaster>>();

/** Registers a master at a port of a pod. Dispose of the result to remove it. */
export function addMaster(
  network: Network,
  address: { readonly ip: string; readonly port: number },
  master: LocustMaster,
): Disposable {
  const known = masters.get(network) ?? new Map<string, LocustMaster>();
  const key = `${address.ip}:${address.port}`;
  masters.set(network, known);
  known.set(key, master);
  return {
    [Symbol.dispose]: () => {
      if (known.get(key) === master) known.delete(key);
    },
  };
}

/** Returns the master that a worker reaches by an address or Service name; undefined if there is none or its pod is not ready. */
export function findMaster(
  network: Network,
  host: string,
  { port, namespace }: { readonly port: number; readonly namespace: string },
): LocustMaster | undefined {
  const known = masters.get(network);
  if (known === undefined) return undefined;
  const direct = known.get(`${host}:${port}`);
  if (direct !== undefined) return direct;
  const service = network.serviceNamed(host, namespace);
  if (service === undefined) return undefined;
  const isHeadless = service.clusterIPs.length === 0;
  const target = isHeadless ? port : service.ports.find((one) => one.port === port)?.targetPort;
  for (const pod of network.podsOf(service)) {
    const number = typeof target === "string" ? pod.ports.get(target) : target;
    const found = pod.isReady && number !== undefined ? known.get(`${pod.ip}:${number}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
