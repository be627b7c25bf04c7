// Restores Services that are taken over, without the controller: in an emergency, and before the operator is uninstalled.

import type { Client } from "@homeostat/client";
import { type Clock, ConflictError, NotFoundError, withoutUndefined } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { AccessDefinition } from "@homeostat/runtime";
import { annotations, takeoverFieldManager } from "../api/identity.ts";
import { baselineServiceName } from "../api/names.ts";
import type { CachedService } from "../build/service-view.ts";
import { type RestoreOptions, restorePatch, selectsProxy } from "../build/taken-over-service.ts";

/** Result of an attempt to restore a Service. */
export type RestoreResult =
  | "restored"
  /** Another client has changed or deleted the Service; read it again. */
  | "changed"
  /** The original selector is neither recorded in the Service nor in the Service of the baseline. */
  | "unknown";

/** Reports whether a Service selects the proxy or has the record of a takeover. */
export function isTakenOver(service: CachedService): boolean {
  return selectsProxy(service) || service.metadata.annotations?.[annotations.original] !== undefined;
}

/** Reports whether the original of a Service that is taken over is known: from its own record, or from the Service of the baseline. */
export function isRestorable(service: CachedService, base?: CachedService): boolean {
  return restorePatch(service, { base }) !== undefined;
}

/** Restores a Service by one write that fails if the Service has changed since it was read. */
export async function restoreService(
  client: Pick<Client, "patch">,
  service: CachedService,
  { signal, ...options }: RestoreOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<RestoreResult> {
  const { namespace = "", name = "" } = service.metadata;
  const merge = restorePatch(service, options);
  if (merge === undefined) return isTakenOver(service) ? "unknown" : "restored";
  try {
    await client.patch(Service, { namespace, name }, { merge }, { fieldManager: takeoverFieldManager, signal });
    return "restored";
  } catch (error) {
    if (error instanceof ConflictError || error instanceof NotFoundError) return "changed";
    throw error;
  }
}

export interface RestoreAllOptions {
  /** Time for which no Service is taken over again, in milliseconds. */
  readonly holdMs: number;
  readonly serverClock: Pick<Clock, "now">;
  /** Namespaces of the Services. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Permissions to restore Services. */
export const restoreAccess: readonly AccessDefinition[] = [{ type: Service, verbs: ["list", "patch"] }];

/** Maximum number of passes over all Services. Another client may change a Service between the read and the write. */
const passesMax = 5;

/** Restores all Services of the cluster, or of some namespaces. Returns the keys of those that were restored, and of those that could not be. */
export async function restoreAllServices(
  client: Client,
  { holdMs, serverClock, namespaces = [], signal }: RestoreAllOptions,
): Promise<{ readonly restored: readonly string[]; readonly failed: readonly string[] }> {
  const restored: string[] = [];
  let failed: string[] = [];
  for (let pass = 0; pass < passesMax; pass += 1) {
    failed = [];
    const services = new Map<string, Service>();
    for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
      for await (const service of client.items(Service, { ...withoutUndefined({ namespace }), signal }))
        services.set(keyOf(service), service);
    }
    for (const [key, service] of services) {
      if (!isTakenOver(service)) continue;
      const base = services.get(keyOf(service, baselineServiceName(service.metadata.name ?? "")));
      const holdUntil = serverClock.now() + holdMs;
      const result = await restoreService(client, service, { base, holdUntil, signal });
      if (result === "restored") restored.push(key);
      else failed.push(key);
    }
    if (failed.length === 0) break;
  }
  return { restored, failed };
}

function keyOf({ metadata }: Service, name: string = metadata.name ?? ""): string {
  return `${metadata.namespace ?? ""}/${name}`;
}
