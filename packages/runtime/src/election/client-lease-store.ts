import type { ResourceType } from "@homeostat/core";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import type { LeaseStore } from "./lease-store.ts";

/** The part of a client that a Lease is kept with. */
export interface LeaseClient {
  get(type: ResourceType<Lease>, name: LeaseName, options: LeaseCall): Promise<Lease | undefined>;
  create(type: ResourceType<Lease>, lease: Lease, options: LeaseCall): Promise<Lease>;
  update(type: ResourceType<Lease>, lease: Lease, options: LeaseCall): Promise<Lease>;
}

/** Which Lease. */
export interface LeaseName {
  readonly name: string;
  readonly namespace: string;
}

/** What each call is given. */
export interface LeaseCall {
  readonly signal: AbortSignal;
}

/**
 * Keeps the Lease of an election at an API server.
 *
 * Take a client without the fence of that election, and best without a rate limit that others use up.
 */
export function clientLeaseStore(client: LeaseClient, name: LeaseName): LeaseStore {
  return {
    get: (signal) => client.get(Lease, name, { signal }),
    create: (lease, signal) => client.create(Lease, lease, { signal }),
    update: (lease, signal) => client.update(Lease, lease, { signal }),
  };
}
