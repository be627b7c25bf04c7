import { type AccessDefinition, type Controller, defineController, volumeGrowthAccess, when } from "homeostat";
import type { Clock } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Event, Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations, eventSource, fieldManager, finalizer, group, legacyFinalizer } from "../api/identity.ts";
import { ownershipDefinition } from "../api/ownership.ts";
import { Tenant } from "../api/tenant.ts";
import { cleanup } from "./cleanup.ts";
import { reconcile } from "./reconcile.ts";
import type { Dependencies } from "./tenant-context.ts";
import { owns, watches } from "../observe/kinds.ts";

export interface TenantControllerOptions extends Dependencies {
  /** Returns the clock of the API server, for the ages of recorded times in metrics. */
  readonly serverClock: () => Clock;
  readonly concurrency: number;
}

export function tenantController({ serverClock, concurrency, ...dependencies }: TenantControllerOptions): Controller {
  const { metrics } = dependencies;
  return defineController({
    name: "tenant",
    for: Tenant,
    indexes: { namespace: ({ status }) => status?.namespace },
    reportingController: eventSource,
    owns,
    ownership: ownershipDefinition,
    watches,
    access,
    finalizer,
    formerFinalizers: [legacyFinalizer],
    fieldManager,
    concurrency,
    metrics: {
      register: (registry) => metrics.register(registry, () => serverClock().now()),
      clear: () => metrics.clear(),
    },
    retry: { baseMs: 5, capMs: 1_000_000, perSecond: 10, burst: 100 },
    // Changes of the status are the controller's own and trigger no reconcile.
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, finalizers, annotations: notes } }) => [
      uid,
      generation,
      deletionTimestamp,
      finalizers,
      notes?.[annotations.rotate],
      notes?.[annotations.reconcileAt],
    ]),
    async reconcile(context) {
      return reconcile(context, dependencies);
    },
    async cleanup(context) {
      return cleanup(context, dependencies);
    },
  });
}

/** Permissions of the client in addition to those derived from `owns` and `watches`. */
const access: readonly AccessDefinition[] = [
  { type: Namespace, verbs: ["get", "create", "patch", "delete"] },
  { type: Event, verbs: ["list"] },
  ...volumeGrowthAccess,
  { type: CustomResourceDefinition, verbs: ["get"], names: [`tenants.${group}`] },
];
