import type { DeepReadonly } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { type Amounts, requestsOf } from "./requests.ts";

/** A host port that a container uses. */
export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** The address that stands for all addresses of a node. */
export const anyAddress = "0.0.0.0";

/**
 * Resources that the pods of one node use. Adding and removing a pod takes constant time, independent of the number
 * of pods.
 */
export class NodeUsage {
  readonly #requests = new Map<string, bigint>();
  readonly #ports = new Set<HostPort>();
  #podCount = 0;

  /** Returns the usage of some pods. */
  static of(pods: readonly DeepReadonly<Pod>[]): NodeUsage {
    const usage = new NodeUsage();
    for (const pod of pods) usage.add(shareOf(pod));
    return usage;
  }

  get podCount(): number {
    return this.#podCount;
  }

  get requests(): Amounts {
    return this.#requests;
  }

  get ports(): Iterable<HostPort> {
    return this.#ports;
  }

  add({ requests, ports }: PodShare): void {
    this.#podCount += 1;
    for (const [name, amount] of requests) this.#requests.set(name, (this.#requests.get(name) ?? 0n) + amount);
    for (const port of ports) this.#ports.add(port);
  }

  /** Removes a share that was added before. */
  remove({ requests, ports }: PodShare): void {
    this.#podCount -= 1;
    for (const [name, amount] of requests) this.#requests.set(name, (this.#requests.get(name) ?? 0n) - amount);
    for (const port of ports) this.#ports.delete(port);
  }
}

/** The resources of a node that one pod uses. */
export interface PodShare {
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
}

/** Returns the resources that a pod uses on its node. */
export function shareOf(pod: DeepReadonly<Pod>): PodShare {
  return { requests: requestsOf(pod), ports: hostPorts(pod) };
}

/** Returns the host ports of a pod. */
export function hostPorts({ spec }: DeepReadonly<Pod>): readonly HostPort[] {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort = 0, protocol = "TCP", hostIP }) => {
      return { port: hostPort, protocol, ip: hostIP === undefined || hostIP === "" ? anyAddress : hostIP };
    });
}

/** The pods that are bound to nodes, and the usage of each node. */
export class AssignedPods {
  readonly #usages = new Map<string, NodeUsage>();
  readonly #pods = new Map<string, { readonly node: string; readonly share: PodShare }>();

  /** Counts a pod on a node and replaces its former share. */
  set(uid: string, node: string, pod: DeepReadonly<Pod>): void {
    this.delete(uid);
    const share = shareOf(pod);
    this.#pods.set(uid, { node, share });
    const usage = this.#usages.get(node) ?? new NodeUsage();
    usage.add(share);
    this.#usages.set(node, usage);
  }

  /** Stops counting a pod; does nothing when it is not counted. */
  delete(uid: string): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#pods.delete(uid);
    const usage = this.#usages.get(known.node);
    usage?.remove(known.share);
    if (usage?.podCount === 0) this.#usages.delete(known.node);
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  usageOf(node: string): NodeUsage {
    return this.#usages.get(node) ?? new NodeUsage();
  }
}
