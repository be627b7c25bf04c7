import type { JsonRecord } from "@homeostat/core";
import type { ServerCertificates } from "../http/server-certificates.ts";
import { storeApiServices } from "../own-objects/api-services.ts";
import { storeFlowControl } from "../own-objects/flow-control.ts";
import type { IdentityLease } from "../own-objects/identity-lease.ts";
import { recordIpAddresses } from "../own-objects/ip-addresses.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import type { Store } from "../storage/store.ts";
import { renewAuthentication, storeBootstrapObjects } from "./bootstrap-objects.ts";
import { storeBootstrapPolicy } from "./bootstrap-policy.ts";
import type { RoleAggregation } from "./role-aggregation.ts";
import type { ServerTools } from "./server-options.ts";
import { ownAddress } from "./server-pages.ts";

/** Options of {@link bootstrapStore}. */
export interface BootstrapStoreOptions {
  readonly certificates: Pick<ServerCertificates, "clientAuthorities" | "frontProxy">;
  /** Port of the server, in its Lease and in the endpoints of the Service `kubernetes`. */
  readonly port: number;
  readonly lease: IdentityLease;
  readonly roles: Pick<RoleAggregation, "suspend">;
}

/**
 * Stores the objects that kube-apiserver creates at its start, and resolves when they are saved. In a store that has
 * objects already, only those that depend on this process are renewed.
 */
export async function bootstrapStore(
  tools: ServerTools,
  { certificates, port, lease, roles }: BootstrapStoreOptions,
): Promise<void> {
  const { store, clock, random, serviceNetwork } = tools;
  const address = ownAddress(serviceNetwork);
  const authorities = {
    clientAuthority: certificates.clientAuthorities,
    frontProxyAuthority: certificates.frontProxy.ca,
  };
  const takeLease = (): void => lease.take(`${address}:${port}`);
  if (store.size > 0) {
    renewAuthentication(store, authorities);
    recordIpAddresses(tools);
    takeLease();
    return;
  }
  roles.suspend(() => {
    const own = { store, nowMs: clock.now(), random };
    storeBootstrapPolicy(store, own);
    storeApiServices(own);
    storeFlowControl(own);
    const serviceAddress = firstAddress(serviceNetwork);
    storeBootstrapObjects({ address, port, ...authorities, serviceRange: serviceNetwork, serviceAddress }, own);
    takeLease();
  });
  await saved(store);
  // kube-apiserver has no history from before its start either.
  store.compact();
}

/**
 * Waits until the bootstrap objects are saved. Throws only the cause of a failure: the server does not start, so the
 * hint that writes resume later would be wrong.
 */
async function saved(store: Store<JsonRecord>): Promise<void> {
  try {
    await store.persisted();
  } catch (error) {
    throw error instanceof StorageStoppedError ? error.cause : error;
  }
}

/** Returns the first usable address of a network: `10.96.0.1` of `10.96.0.0/12`. */
function firstAddress(network: string): string {
  const [address = "10.96.0.0"] = network.split("/");
  const parts = address.split(".").map(Number);
  return [...parts.slice(0, 3), (parts[3] ?? 0) + 1].join(".");
}
