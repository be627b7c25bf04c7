import type { DeepReadonly } from "@homeostat/core";
import type { TableHost } from "@homeostat/sandbox-operator";

/** A RouteTable that publishes a host. */
export interface HostClaim {
  /** Key of the table. */
  readonly table: string;
  readonly host: DeepReadonly<TableHost>;
}

/**
 * The tables that publish each host. The operator publishes a host in one table; while it moves a host, two tables may contain it for a moment. The
 * order of the UIDs of the owners then decides, so all replicas choose the same table.
 */
export class HostClaims {
  readonly #byHost = new Map<string, Map<string, HostClaim>>();
  readonly #hostsOf = new Map<string, ReadonlySet<string>>();
  /** Key in the feed by host. */
  readonly #keys = new Map<string, string>();

  /** Replaces the hosts of a table. Returns the hosts whose claims changed. */
  set(table: string, hosts: DeepReadonly<readonly TableHost[]>): ReadonlySet<string> {
    const before = this.#hostsOf.get(table) ?? new Set();
    const names = new Set(hosts.map(({ host }) => host));
    for (const name of before) this.#byHost.get(name)?.delete(table);
    for (const host of hosts) {
      const claimants = this.#byHost.get(host.host) ?? new Map<string, HostClaim>();
      claimants.set(table, { table, host });
      this.#byHost.set(host.host, claimants);
    }
    if (names.size === 0) this.#hostsOf.delete(table);
    else this.#hostsOf.set(table, names);
    const changed = new Set([...before, ...names]);
    for (const name of changed) if (this.#byHost.get(name)?.size === 0) this.#byHost.delete(name);
    return changed;
  }

  /** Returns the claim that is in force. */
  winnerOf(host: string): HostClaim | undefined {
    const claims = [...(this.#byHost.get(host)?.values() ?? [])];
    return claims.reduce<HostClaim | undefined>(
      (first, claim) => (first === undefined || orderOf(claim) < orderOf(first) ? claim : first),
      undefined,
    );
  }

  /** Returns the hosts of a table. */
  hostsOf(table: string): ReadonlySet<string> {
    return this.#hostsOf.get(table) ?? new Set();
  }

  /** Records the key under which a host is in the feed; undefined if it is not. Returns the key before. */
  replaceKey(host: string, key: string | undefined): string | undefined {
    const before = this.#keys.get(host);
    if (key === undefined) this.#keys.delete(host);
    else this.#keys.set(host, key);
    return before;
  }
}

function orderOf({ table, host }: HostClaim): string {
  return `${host.owner.uid} ${table}`;
}
