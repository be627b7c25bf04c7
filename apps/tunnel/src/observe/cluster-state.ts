// The objects of the cluster that decide about tunnels, from the cache.

import type { DeepReadonly } from "@homeostat/core";
import { Node, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { Cache, Informer, PartialObject } from "@homeostat/runtime";
import { LocalWorkload, SandboxPolicy } from "@homeostat/sandbox-operator";
import type { OutboundWorld } from "../outbound/destination.ts";

/** The objects that the tunnel server reads. `ownNamespace` is that of this program. */
export class ClusterState implements Disposable {
  readonly #workloads: Informer<LocalWorkload>;
  readonly #policies: Informer<SandboxPolicy>;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice, "service">;
  readonly #nodes: Informer<PartialObject<Node>, "address">;
  readonly #ownNamespace: string;

  constructor(cache: Cache, { ownNamespace }: { readonly ownNamespace: string }) {
    this.#ownNamespace = ownNamespace;
    this.#workloads = cache.informer(LocalWorkload);
    this.#policies = cache.informer(SandboxPolicy);
    this.#services = cache.informer(Service);
    this.#slices = cache
      .informer(EndpointSlice)
      .index("service", ({ metadata }) => `${metadata.namespace}/${metadata.labels?.["kubernetes.io/service-name"]}`);
    this.#nodes = cache
      .informer(Node, { project: ["status.addresses"] })
      .index("address", ({ status }) => status?.addresses?.flatMap(({ address }) => address ?? []) ?? []);
  }

  /** Waits until all objects are known. `onWorkload` and `onPolicies` are called with later changes: a key, and a namespace. */
  async start(
    signal: AbortSignal,
    {
      onWorkload,
      onPolicies,
    }: { readonly onWorkload: (key: string) => void; readonly onPolicies: (namespace: string) => void },
  ): Promise<void> {
    for (const informer of [this.#workloads, this.#policies, this.#services, this.#slices, this.#nodes])
      await informer.ready(signal);
    this.#workloads.subscribe(({ key }) => onWorkload(key));
    this.#policies.subscribe(({ object }) => onPolicies(object.metadata.namespace ?? ""));
  }

  /** False while requests for LocalWorkloads fail: the API server cannot be reached, or refuses them. */
  get isFollowing(): boolean {
    return this.#workloads.health.error === undefined;
  }

  workload(key: string): DeepReadonly<LocalWorkload> | undefined {
    return this.#workloads.get(key);
  }

  policies(namespace: string): readonly DeepReadonly<SandboxPolicy>[] {
    return this.#policies.list({ namespace });
  }

  /** Returns everything that decides about connections of a machine into the cluster; undefined if its LocalWorkload is gone. */
  outbound(key: string): OutboundWorld | undefined {
    const workload = this.#workloads.get(key);
    if (workload === undefined) return undefined;
    return {
      workload,
      policies: this.policies(workload.metadata.namespace ?? ""),
      service: (name) => this.#services.get(name),
      slices: (service) => this.#slices.by("service", service),
      isNode: (address) => this.#nodes.by("address", address).length > 0,
      ownNamespace: this.#ownNamespace,
    };
  }

  [Symbol.dispose](): void {
    for (const each of [this.#workloads, this.#policies, this.#services, this.#slices, this.#nodes])
      each[Symbol.dispose]();
  }
}
