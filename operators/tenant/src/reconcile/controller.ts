import type { AccessDefinition, Controller } from "@homeostat/runtime";
import { defineController, when } from "@homeostat/runtime";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Event, Namespace, PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { annotations, eventSource, fieldManager, finalizer, group, legacyFinalizer } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import { cleanUp } from "./cleanup.ts";
import { childTypes, watches } from "./watches.ts";
import type { Parts } from "./pass.ts";
import { reconcile } from "./reconcile.ts";

/** The controller of tenants. */
export function tenants(parts: Parts): Controller {
  return defineController({
    name: "tenant",
    for: Tenant,
    indexes: { namespace: ({ status }) => status?.namespace },
    reportingController: eventSource,
    watches,
    access,
    finalizer,
    formerFinalizers: [legacyFinalizer],
    fieldManager,
    concurrency: parts.settings.maxConcurrentReconciles,
    retry: { baseMs: 5, capMs: 1_000_000, perSecond: 10, burst: 100 },
    // Nothing but the status: that is our own doing.
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, finalizers, annotations: notes } }) => [
      uid,
      generation,
      deletionTimestamp,
      finalizers,
      notes?.[annotations.rotate],
      notes?.[annotations.reconcileAt],
    ]),
    async reconcile(context) {
      return reconcile(context, parts);
    },
    async cleanup(context) {
      return cleanUp(context, parts);
    },
  });
}

/** What the controller does with its client, beside following: section 18. */
const access: readonly AccessDefinition[] = [
  ...[...childTypes.values()].map((type) => ({ type, verbs: ["get", "create", "patch", "delete"] })),
  // Secrets are read by name, and never listed.
  { type: Namespace, verbs: ["get", "create", "patch", "delete"] },
  { type: PersistentVolumeClaim, verbs: ["patch"] },
  { type: Event, verbs: ["list"] },
  { type: StorageClass, verbs: ["get"] },
  { type: CustomResourceDefinition, verbs: ["get"], names: [`tenants.${group}`] },
];
