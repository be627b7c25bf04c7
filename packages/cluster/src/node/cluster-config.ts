import type { DeepReadonly } from "@homeostat/core";
import { ConfigMap, PersistentVolumeClaim, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { Cache, Informer } from "@homeostat/runtime";
import type { ConfigReader } from "./pod-config.ts";
import type { ServiceDirectory, ServiceEndpoint, ServiceView } from "./network.ts";

/**
 * Slices of other managers than the endpoint slice controller. Its own slices repeat what the network knows of the pods
 * of this cluster, and change with every pod.
 */
const foreignSlices = "endpointslice.kubernetes.io/managed-by!=endpointslice-controller.k8s.io";
const serviceNameLabel = "kubernetes.io/service-name";

/** ConfigMaps, Secrets, Services and claims for the pods of a node, read from informers. */
export class ClusterConfig implements ConfigReader, ServiceDirectory, Disposable {
  readonly #configMaps: Informer<ConfigMap>;
  readonly #secrets: Informer<Secret>;
  readonly #services: Informer<Service, "address">;
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #slices: Informer<EndpointSlice, "service">;

  constructor(cache: Cache) {
    this.#configMaps = cache.informer(ConfigMap);
    this.#secrets = cache.informer(Secret);
    this.#services = cache.informer(Service).index("address", addressesOf);
    this.#claims = cache.informer(PersistentVolumeClaim);
    this.#slices = cache.informer(EndpointSlice, { labels: foreignSlices }).index("service", servicesOf);
  }

  /** Resolves when all informers are synced. */
  async ready(signal: AbortSignal): Promise<void> {
    for (const informer of [this.#configMaps, this.#secrets, this.#services, this.#claims, this.#slices])
      await informer.ready(signal);
  }

  /** Calls a function with the namespace of every ConfigMap and Secret that changes. */
  onChange(changed: (namespace: string) => void): void {
    const notify = ({ key }: { readonly key: string }): void => changed(key.slice(0, key.indexOf("/")));
    this.#configMaps.subscribe(notify);
    this.#secrets.subscribe(notify);
  }

  configMap(namespace: string, name: string): ReadonlyMap<string, string> | undefined {
    const found = this.#configMaps.get({ namespace, name });
    if (found === undefined) return undefined;
    const binary = Object.entries(found.binaryData ?? {}).map(([key, text]) => [key, decode(text)] as const);
    return new Map([...Object.entries(found.data ?? {}), ...binary]);
  }

  secret(namespace: string, name: string): ReadonlyMap<string, string> | undefined {
    const found = this.#secrets.get({ namespace, name });
    if (found === undefined) return undefined;
    return new Map(Object.entries(found.data ?? {}).map(([key, text]) => [key, decode(text)]));
  }

  volumeOfClaim(namespace: string, name: string): string | undefined {
    return this.#claims.get({ namespace, name })?.spec?.volumeName;
  }

  list(): readonly ServiceView[] {
    return this.#services.list().map(viewOf);
  }

  named(namespace: string, name: string): ServiceView | undefined {
    const found = this.#services.get({ namespace, name });
    return found === undefined ? undefined : viewOf(found);
  }

  withAddress(ip: string): ServiceView | undefined {
    const [found] = this.#services.by("address", ip);
    return found === undefined ? undefined : viewOf(found);
  }

  endpoints(namespace: string, name: string): readonly ServiceEndpoint[] {
    return this.#slices.by("service", `${namespace}/${name}`).flatMap(endpointsIn);
  }

  [Symbol.dispose](): void {
    this.#slices[Symbol.dispose]();
    this.#configMaps[Symbol.dispose]();
    this.#secrets[Symbol.dispose]();
    this.#services[Symbol.dispose]();
    this.#claims[Symbol.dispose]();
  }
}

function addressesOf({ spec }: DeepReadonly<Service>): readonly string[] {
  const all = spec?.clusterIPs ?? (spec?.clusterIP === undefined ? [] : [spec.clusterIP]);
  return all.filter((ip) => ip !== "None" && ip !== "");
}

function viewOf(service: DeepReadonly<Service>): ServiceView {
  const { metadata, spec } = service;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    clusterIPs: addressesOf(service),
    selector: spec?.selector,
    ports: (spec?.ports ?? []).map(({ name, port, targetPort }) => ({ name, port, targetPort: targetPort ?? port })),
    publishesNotReady: spec?.publishNotReadyAddresses === true,
    ...(spec?.type === "ExternalName" && spec.externalName !== undefined ? { externalName: spec.externalName } : {}),
  };
}

function servicesOf({ metadata: { namespace, labels } }: DeepReadonly<EndpointSlice>): readonly string[] {
  const service = labels?.[serviceNameLabel];
  return service === undefined ? [] : [`${namespace}/${service}`];
}

function endpointsIn({ endpoints, ports }: DeepReadonly<EndpointSlice>): readonly ServiceEndpoint[] {
  const numbers = new Map(
    (ports ?? []).flatMap(({ name = "", port }) => (port === undefined ? [] : [[name, port] as const])),
  );
  return (endpoints ?? []).flatMap(({ addresses, hostname = "", conditions }) =>
    // A missing condition counts as ready.
    addresses.map((ip) => ({ ip, hostname, isReady: conditions?.ready !== false, ports: numbers })),
  );
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
