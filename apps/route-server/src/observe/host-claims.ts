import { parseEndpointTarget, type PublishedEndpoint } from "@homeostat/sandbox-operator";

/** An object that asks for a host. */
export interface HostClaim {
  readonly id: string;
  /** Creation time and UID; the smaller text is the older object. */
  readonly age: string;
  readonly endpoint: PublishedEndpoint;
  /** Ids of the tokens that the host accepts. */
  readonly tokens: readonly string[];
  /** End of the host. */
  readonly expiresAt: string | undefined;
}

/** The objects that ask for each host. Of several, the oldest has it. */
export class HostClaims {
  readonly #byHost = new Map<string, Map<string, HostClaim>>();
  readonly #hostsOf = new Map<string, ReadonlySet<string>>();
  /** Hosts by Service that a claim leads to. A claim that is gone may stay listed until the host is gone. */
  readonly #byService = new Map<string, Set<string>>();
  /** Keys in the feed by host. */
  readonly #keys = new Map<string, Set<string>>();

  /** Replaces the claims of an object. Returns the hosts whose claims changed. */
  set(id: string, claims: readonly HostClaim[]): ReadonlySet<string> {
    const before = this.#hostsOf.get(id) ?? new Set();
    const hosts = new Set(claims.map(({ endpoint }) => endpoint.host));
    for (const host of before) this.#byHost.get(host)?.delete(id);
    for (const claim of claims) {
      const claimants = this.#byHost.get(claim.endpoint.host) ?? new Map<string, HostClaim>();
      claimants.set(id, claim);
      this.#byHost.set(claim.endpoint.host, claimants);
      const target = parseEndpointTarget(claim.endpoint.target);
      if (target !== undefined) this.#index(`${target.namespace}/${target.service}`, claim.endpoint.host);
    }
    if (hosts.size === 0) this.#hostsOf.delete(id);
    else this.#hostsOf.set(id, hosts);
    const changed = new Set([...before, ...hosts]);
    for (const host of changed) if (this.#byHost.get(host)?.size === 0) this.#byHost.delete(host);
    return changed;
  }

  /** Returns the oldest claim of a host. */
  winnerOf(host: string): HostClaim | undefined {
    const claims = [...(this.#byHost.get(host)?.values() ?? [])];
    return claims.reduce<HostClaim | undefined>(
      (oldest, claim) => (oldest === undefined || claim.age < oldest.age ? claim : oldest),
      undefined,
    );
  }

  /** Returns the hosts that may lead to a Service, `namespace/name`. */
  hostsOf(service: string): readonly string[] {
    const hosts = this.#byService.get(service);
    if (hosts === undefined) return [];
    for (const host of hosts) if (!this.#byHost.has(host)) hosts.delete(host);
    if (hosts.size === 0) this.#byService.delete(service);
    return [...hosts];
  }

  #index(service: string, host: string): void {
    const hosts = this.#byService.get(service) ?? new Set();
    hosts.add(host);
    this.#byService.set(service, hosts);
  }

  /** Records the key under which a host is in the feed. */
  remember(host: string, key: string): void {
    this.#keys.set(host, new Set([key]));
  }

  /** Returns the keys under which a host may be in the feed. */
  keysOf(host: string): ReadonlySet<string> {
    return this.#keys.get(host) ?? new Set();
  }
}
