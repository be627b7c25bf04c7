import { ArgumentError, isEqual } from "@homeostat/core";
import { labelValues, selectorValue } from "../controllers/common/selector-index.ts";

/** A loopback address on this machine. */
export interface LocalAddress {
  readonly host: string;
  readonly port: number;
}

/** The fields of a Service that the network uses. */
export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  /** Empty for a headless Service. */
  readonly clusterIPs: readonly string[];
  /** Selector of its pods; undefined when it has none. */
  readonly selector: Readonly<Record<string, string>> | undefined;
  readonly ports: readonly {
    readonly name?: string | undefined;
    readonly port: number;
    readonly targetPort: number | string;
  }[];
  /** True if pods that are not ready count as endpoints. Default: false. */
  readonly publishesNotReady?: boolean | undefined;
  /** Name that a Service of the type `ExternalName` stands for. */
  readonly externalName?: string | undefined;
}

/** An endpoint of a Service that an EndpointSlice lists, other than those of the endpoint slice controller. */
export interface ServiceEndpoint {
  readonly ip: string;
  /** Name below that of the Service; empty when it has none. */
  readonly hostname: string;
  readonly isReady: boolean;
  /** Ports by name; the name is empty for an unnamed port. */
  readonly ports: ReadonlyMap<string, number>;
}

/** The fields of a pod that the network uses. */
export interface PodEndpoint {
  readonly namespace: string;
  readonly name: string;
  readonly hostname: string;
  readonly subdomain: string;
  readonly ip: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isReady: boolean;
  /** Named ports of its containers. */
  readonly ports: ReadonlyMap<string, number>;
}

/** A source of the cluster's Services. */
export interface ServiceDirectory {
  list(): readonly ServiceView[];
  /** Returns a Service by name. Default: a search in `list`. */
  named?(namespace: string, name: string): ServiceView | undefined;
  /** Returns the Service with a cluster IP. Default: a search in `list`. */
  withAddress?(ip: string): ServiceView | undefined;
  /** Returns the endpoints of a Service in slices that the endpoint slice controller does not manage. Default: none. */
  endpoints?(namespace: string, name: string): readonly ServiceEndpoint[];
}

/** Most Services of the type `ExternalName` that are followed for one name. */
const externalNamesMax = 8;

/**
 * The network of the simulated pods: a mapping from pod addresses and ports to loopback ports.
 *
 * All nodes of a cluster share one network, so that pods of different nodes reach each other. The program of a
 * container binds a port of its pod to the loopback port it listens on; clients look it up with {@link
 * Network.addressOf} or {@link Network.resolve}.
 */
export class Network {
  readonly #ports = new Map<string, LocalAddress>();
  readonly #pods = new Map<string, PodEndpoint>();
  /** Uids of pods by label; see `selector-index.ts`. */
  readonly #podsByLabel = new Map<string, Set<string>>();
  readonly #uids = new Map<string, string>();
  readonly #directories = new Set<ServiceDirectory>();

  /** Maps a port of a pod to a loopback address, until the result is disposed of. */
  bind(ip: string, port: number, address: LocalAddress): Disposable {
    const key = `${ip}:${port}`;
    this.#ports.set(key, address);
    return {
      [Symbol.dispose]: () => {
        if (this.#ports.get(key) === address) this.#ports.delete(key);
      },
    };
  }

  /** Adds or updates a pod. */
  setPod(uid: string, endpoint: PodEndpoint): void {
    const before = this.#pods.get(uid);
    this.#pods.set(uid, endpoint);
    if (endpoint.ip !== "") this.#uids.set(endpoint.ip, uid);
    if (before !== undefined && before.namespace === endpoint.namespace && isEqual(before.labels, endpoint.labels))
      return;
    if (before !== undefined) this.#unindex(uid, before);
    for (const value of labelValues(endpoint.namespace, endpoint.labels)) {
      const uids = this.#podsByLabel.get(value);
      if (uids === undefined) this.#podsByLabel.set(value, new Set([uid]));
      else uids.add(uid);
    }
  }

  /** Removes a pod. */
  removePod(uid: string): void {
    const before = this.#pods.get(uid);
    if (before === undefined) return;
    this.#pods.delete(uid);
    if (this.#uids.get(before.ip) === uid) this.#uids.delete(before.ip);
    this.#unindex(uid, before);
  }

  #unindex(uid: string, { namespace, labels }: PodEndpoint): void {
    for (const value of labelValues(namespace, labels)) {
      const uids = this.#podsByLabel.get(value);
      if (uids?.delete(uid) === true && uids.size === 0) this.#podsByLabel.delete(value);
    }
  }

  /** Adds a source of Services, until the result is disposed of. */
  addDirectory(directory: ServiceDirectory): Disposable {
    this.#directories.add(directory);
    return { [Symbol.dispose]: () => void this.#directories.delete(directory) };
  }

  /**
   * Returns the loopback address of a port of a pod, or of a Service by its cluster IP; undefined when nothing
   * listens there.
   *
   * A Service resolves to the first of its ready pods that listens.
   */
  addressOf(ip: string, port: number): LocalAddress | undefined {
    const direct = this.#ports.get(`${ip}:${port}`);
    if (direct !== undefined) return direct;
    const service = this.#find((directory) =>
      directory.withAddress === undefined
        ? directory.list().find(({ clusterIPs }) => clusterIPs.includes(ip))
        : directory.withAddress(ip),
    );
    return service === undefined ? undefined : this.#serviceAddress(service, port);
  }

  /**
   * Returns the loopback address of a host name or address as a pod in `namespace` would resolve it; undefined when
   * nothing listens there. Supports `service`, `service.namespace`, `service.namespace.svc[.cluster.local]`, pods and
   * endpoints of headless Services by hostname or by address (`10-0-0-2.service`), and
   * `10-0-0-2.namespace.pod[.cluster.local]`.
   */
  resolve(host: string, port: number, namespace: string): LocalAddress | undefined {
    const byAddress = this.addressOf(host, port);
    if (byAddress !== undefined) return byAddress;
    const service = this.#followed(host, namespace);
    if (service !== undefined) return this.#serviceAddress(service, port);
    for (const ip of this.lookup(host, namespace)) {
      const found = this.addressOf(ip, port);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Returns the addresses of a host name as the DNS of the cluster returns them to a pod in `namespace`: the cluster
   * IPs of a Service, the ready endpoints of a headless one, or one of its pods. Empty when the name is unknown.
   */
  lookup(host: string, namespace: string): readonly string[] {
    const service = this.#followed(host, namespace);
    if (service !== undefined) {
      if (service.clusterIPs.length > 0) return service.clusterIPs;
      const pods = this.#selected(service).filter(({ isReady }) => isReady || service.publishesNotReady === true);
      const endpoints = this.#endpointsOf(service).filter(({ isReady }) => isReady);
      return [...new Set([...pods, ...endpoints].map(({ ip }) => ip))];
    }
    const ofPod = /^(\d+-\d+-\d+-\d+)\.([^.]+)\.pod(?:\.cluster\.local)?\.?$/.exec(host);
    if (ofPod !== null) return [(ofPod[1] ?? "").replaceAll("-", ".")];
    const [hostname = "", ...rest] = host.split(".");
    const parent = rest.length === 0 ? undefined : this.serviceNamed(rest.join("."), namespace);
    if (parent === undefined) return [];
    const isNamed = (name: string, ip: string): boolean => (name === "" ? ip.replaceAll(".", "-") : name) === hostname;
    const pods = this.#selected(parent).filter(
      ({ name, hostname: own, ip }) => isNamed(own === "" ? name : own, ip) || isNamed("", ip),
    );
    const endpoints = this.#endpointsOf(parent).filter(({ isReady, hostname: own, ip }) => isReady && isNamed(own, ip));
    return [...new Set([...pods, ...endpoints].map(({ ip }) => ip))];
  }

  /** Returns the Service of a name. A Service of the type `ExternalName` is replaced by the one that it stands for. */
  #followed(host: string, namespace: string): ServiceView | undefined {
    let found = this.serviceNamed(host, namespace);
    for (let steps = 0; steps < externalNamesMax && found?.externalName !== undefined; steps += 1) {
      found = this.serviceNamed(found.externalName, found.namespace);
    }
    return found;
  }

  /** Returns the Service that a name refers to in a pod of `namespace`. */
  serviceNamed(host: string, namespace: string): ServiceView | undefined {
    const [name = "", inNamespace = namespace, kind = "svc", ...domain] = host.replace(/\.$/, "").split(".");
    if (kind !== "svc" || (domain.length > 0 && domain.join(".") !== "cluster.local")) return undefined;
    return this.#find((directory) =>
      directory.named === undefined
        ? directory.list().find((one) => one.name === name && one.namespace === inNamespace)
        : directory.named(inNamespace, name),
    );
  }

  /**
   * Returns the pods of a Service, ready or not: those that it selects, and the endpoints of EndpointSlices that the
   * endpoint slice controller does not manage. Such an endpoint has the hostname and readiness of its slice.
   */
  podsOf(service: ServiceView): readonly PodEndpoint[] {
    const listed = this.#endpointsOf(service).map(({ ip, hostname, isReady, ports }): PodEndpoint => {
      const pod = this.#pods.get(this.#uids.get(ip) ?? "");
      const unknown = { namespace: service.namespace, name: hostname, subdomain: service.name, ip, labels: {}, ports };
      return { ...(pod ?? unknown), hostname, isReady };
    });
    return [...this.#selected(service), ...listed];
  }

  #selected({ namespace, selector }: ServiceView): readonly PodEndpoint[] {
    if (selector === undefined) return [];
    const required = Object.entries(selector);
    const uids = this.#podsByLabel.get(selectorValue(namespace, selector)) ?? [];
    return [...uids]
      .flatMap((uid) => this.#pods.get(uid) ?? [])
      .filter((pod) => required.every(([key, value]) => Object.hasOwn(pod.labels, key) && pod.labels[key] === value));
  }

  #endpointsOf({ namespace, name }: ServiceView): readonly ServiceEndpoint[] {
    for (const directory of this.#directories) {
      const found = directory.endpoints?.(namespace, name) ?? [];
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Returns the first result of any directory. */
  #find(find: (directory: ServiceDirectory) => ServiceView | undefined): ServiceView | undefined {
    for (const directory of this.#directories) {
      const found = find(directory);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #serviceAddress(service: ServiceView, port: number): LocalAddress | undefined {
    const isHeadless = service.clusterIPs.length === 0;
    const servicePort = service.ports.find((one) => one.port === port);
    if (!isHeadless && servicePort === undefined) return undefined;
    const targetPort = isHeadless ? port : (servicePort?.targetPort ?? port);
    for (const pod of this.#selected(service)) {
      if (!pod.isReady && service.publishesNotReady !== true) continue;
      const number = typeof targetPort === "number" ? targetPort : pod.ports.get(targetPort);
      const address = number === undefined ? undefined : this.#ports.get(`${pod.ip}:${number}`);
      if (address !== undefined) return address;
    }
    for (const { ip, isReady, ports } of this.#endpointsOf(service)) {
      // Ports of a Service and of its slices belong together by name.
      const number = isHeadless ? port : ports.get(servicePort?.name ?? "");
      const address = number === undefined || !isReady ? undefined : this.#ports.get(`${ip}:${number}`);
      if (address !== undefined) return address;
    }
    return undefined;
  }
}

/**
 * Allocates addresses of a CIDR range and takes them back. Allocation is round-robin: a released address is reused
 * only after the rest of the range.
 */
export class AddressRange {
  readonly #base: number;
  readonly #size: number;
  readonly #taken = new Set<number>();
  #next = 2;

  /** @param cidr IPv4 range such as `10.244.0.0/24`, with a prefix of 8 to 30 bits. */
  constructor(cidr: string) {
    const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
    const bytes = (match ?? []).slice(1, 5).map(Number);
    const bits = Number(match?.[5] ?? Number.NaN);
    if (bytes.length !== 4 || bytes.some((byte) => byte > 255) || !(bits >= 8 && bits <= 30))
      throw new ArgumentError({
        argument: "podCidr",
        problem: `is ${cidr}; it must be an IPv4 range with a prefix of 8 to 30 bits, such as 10.244.0.0/24.`,
      });
    this.#size = 2 ** (32 - bits);
    const whole = bytes.reduce((number, byte) => number * 256 + byte, 0);
    this.#base = whole - (whole % this.#size);
  }

  /** Allocates a free address; undefined when the range is exhausted. */
  take(): string | undefined {
    for (let tried = 0; tried < this.#size; tried += 1) {
      const offset = this.#next;
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      if (this.#taken.has(offset)) continue;
      this.#taken.add(offset);
      return this.#text(offset);
    }
    return undefined;
  }

  /** Allocates a given address. Returns false when it is outside the range or in use. */
  claim(address: string): boolean {
    const offset = address.split(".").reduce((number, byte) => number * 256 + Number(byte), 0) - this.#base;
    if (!(offset > 1 && offset < this.#size - 1) || this.#taken.has(offset)) return false;
    this.#taken.add(offset);
    return true;
  }

  /** Releases an address. */
  release(address: string): void {
    this.#taken.delete(address.split(".").reduce((number, byte) => number * 256 + Number(byte), 0) - this.#base);
  }

  #text(offset: number): string {
    const whole = this.#base + offset;
    return [16777216, 65536, 256, 1].map((unit) => Math.floor(whole / unit) % 256).join(".");
  }
}
