import type { ResourceType } from "@homeostat/core";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import type { LeaseStore } from "./lease-store.ts";

/** The methods of a client that {@link clientLeaseStore} uses. */
export interface LeaseClient {
  get(type: ResourceType<Lease>, name: LeaseName, options: LeaseCall): Promise<Lease | undefined>;
  create(type: ResourceType<Lease>, lease: Lease, options: LeaseCall): Promise<Lease>;
  update(type: ResourceType<Lease>, lease: Lease, options: LeaseCall): Promise<Lease>;
}

/** Name and namespace of a Lease. */
export interface LeaseName {
  readonly name: string;
  readonly namespace: string;
}

/** Options of a request for a Lease. */
export interface LeaseCall {
  readonly signal: AbortSignal;
}

/**
 * Returns a store that keeps the Lease of an election on an API server.
 *
 * The client must not use the fence of the same election: a standby process has to write the Lease. It should not share a rate limit with
 * other requests either, because a renewal that waits behind them can miss its deadline.
 */
export function clientLeaseStore(client: LeaseClient, name: LeaseName): LeaseStore {
  return {
    get: (signal) => client.get(Lease, name, { signal }),
    create: (lease, signal) => client.create(Lease, lease, { signal }),
    update: (lease, signal) => client.update(Lease, lease, { signal }),
  };
}
