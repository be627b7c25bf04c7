import type { Network } from "@homeostat/cluster/app-model";
import type { LocustMaster } from "./master.ts";

// Masters and workers of one network find each other here. What they would say over a socket is a call.
const masters = new WeakMap<Network, Map<string, LocustMaster>>();

/** Makes a master known at a port of a pod; disposing of the answer takes it back. */
export function addMaster(
  network: Network,
  place: { readonly ip: string; readonly port: number },
  master: LocustMaster,
): Disposable {
  const known = masters.get(network) ?? new Map<string, LocustMaster>();
  const key = `${place.ip}:${place.port}`;
  masters.set(network, known);
  known.set(key, master);
  return {
    [Symbol.dispose]: () => {
      if (known.get(key) === master) known.delete(key);
    },
  };
}

/** The master that a worker of a namespace reaches under a host name; undefined when there is none, or it is not ready. */
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
