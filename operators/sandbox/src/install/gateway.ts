// Installs the gateway while there is a preview domain. The domain is part of the reloadable configuration, so the operator installs the gateway
// instead of the chart.

import type { Client } from "@homeostat/client";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import type { OwnAccess } from "@homeostat/operator";
import type { Service as ManagerService, ServiceTools } from "@homeostat/runtime";
import { fieldManager, labels } from "../api/identity.ts";
import { gatewayName } from "../api/names.ts";
import { buildGateway, type GatewayOptions } from "../build/gateway-objects.ts";
import { hasFields } from "../build/proxy-objects.ts";

export interface GatewayKeeperOptions {
  /** Returns the options of the gateway. They follow the configuration. */
  readonly gateway: () => GatewayOptions;
  /** Reports whether there are preview addresses. */
  readonly isEnabled: () => boolean;
}

/** Interval between checks of the configuration, which need no request. */
const pollMs = 10_000;
/** Interval between checks of the gateway objects for drift. */
const verifyMs = 60_000;

/** Permissions of {@link gatewayKeeper} in the namespace of the operator. */
export const gatewayAccess: readonly OwnAccess[] = [Deployment, Service, PodDisruptionBudget].flatMap((type) => [
  { type, verbs: ["create"] },
  { type, verbs: ["get", "patch", "delete"], names: [gatewayName] },
]);

/** Returns the service that creates, corrects and deletes the gateway. */
export function gatewayKeeper(
  options: GatewayKeeperOptions,
): (tools: Pick<ServiceTools, "client" | "clock" | "log" | "reportMissingNamespace">) => ManagerService {
  return ({ client, clock, log, reportMissingNamespace }) => ({
    name: "gateway",
    when: "leading",
    async run(signal) {
      let state: "unknown" | "present" | "absent" = "unknown";
      let verifiedAt = 0;
      while (!signal.aborted) {
        const now = clock.monotonic();
        try {
          if (!options.isEnabled()) {
            if (state !== "absent") await deleteGateway(client, options.gateway().systemNamespace, signal);
            state = "absent";
          } else if (state !== "present" || now - verifiedAt >= verifyMs) {
            await applyGateway(client, options.gateway(), signal);
            state = "present";
            verifiedAt = now;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (!reportMissingNamespace(error, `Deployment ${gatewayName}`))
            log.warn("Failed to reconcile the gateway", { error });
        }
        await clock.sleep(pollMs, signal).catch(() => undefined);
      }
    },
  });
}

async function applyGateway(client: Client, options: GatewayOptions, signal: AbortSignal): Promise<void> {
  const { deployment, service, budget } = buildGateway(options);
  const key = { namespace: options.systemNamespace, name: gatewayName };
  const write = { fieldManager, force: true, signal };
  if (!hasFields(await client.get(Deployment, key, { signal }), deployment))
    await client.apply(Deployment, deployment, write);
  if (!hasFields(await client.get(Service, key, { signal }), service)) await client.apply(Service, service, write);
  if (!hasFields(await client.get(PodDisruptionBudget, key, { signal }), budget))
    await client.apply(PodDisruptionBudget, budget, write);
}

/** Deletes the gateway, if the operator created it. */
export async function deleteGateway(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  const key = { namespace, name: gatewayName };
  const found = await client.get(Deployment, key, { signal });
  if (found?.metadata.labels?.[labels.managedBy] !== fieldManager) return;
  // Deletes the Deployment last: while it exists, the operator checks for the other objects again.
  await client.delete(Service, key, { signal });
  await client.delete(PodDisruptionBudget, key, { signal });
  await client.delete(Deployment, key, { signal });
}
