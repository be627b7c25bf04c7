// All events of a tenant, except for those that the runtime records.

import type { EventNote } from "@homeostat/runtime";

export const events = {
  created: (what: string) => ({ reason: "Created", note: `Created ${what}` }),
  updated: (what: string) => ({ reason: "Updated", note: `Updated ${what}` }),
  running: { reason: "Running", note: "Tenant is running" },
  hibernated: { reason: "Hibernated", note: "Tenant is hibernated" },
  resumed: { reason: "Resumed", note: "Tenant resumed" },
  paused: { reason: "Paused", note: "Tenant is paused" },
  unpaused: { reason: "Unpaused", note: "Tenant is no longer paused" },
  adopted: (namespace: string) => ({ reason: "NamespaceAdopted", note: `Adopted namespace ${namespace}` }),
  retained: (namespace: string, why: string) => ({
    reason: "NamespaceRetained",
    note: `Retained namespace ${namespace}: ${why}`,
  }),
  deleting: { reason: "Deleting", note: "Tenant is being deleted" },
  deletingNamespace: (namespace: string) => ({ reason: "DeletingNamespace", note: `Deleting namespace ${namespace}` }),
  rotationStarted: { reason: "PasswordRotationStarted", note: "Started rotation of the Redis password" },
  rotated: { reason: "PasswordRotated", note: "Rotated the Redis password" },
  storageResized: { reason: "StorageResized", note: "All Redis volumes have the desired size" },
  driftCorrected: (object: string, fields: readonly string[]) => ({
    reason: "DriftCorrected",
    note: `Corrected drift of ${object}: ${fields.join(", ")} changed by another client`,
    // As often as the runtime reports drift of managed objects.
    once: 600_000,
  }),
  failed: (message: string) => ({ type: "Warning", reason: "Failed", note: message }),
  invalid: (message: string) => ({ type: "Warning", reason: "InvalidSpec", note: message }),
  degraded: (message: string) => ({ type: "Warning", reason: "Degraded", note: message }),
  namespaceConflict: (message: string) => ({ type: "Warning", reason: "NamespaceConflict", note: message }),
  namespaceDeleted: (message: string) => ({ type: "Warning", reason: "NamespaceDeleted", note: message }),
  namespaceNotOwned: (namespace: string) => ({
    type: "Warning",
    reason: "NamespaceNotOwned",
    note: `Namespace ${namespace} is not owned by this Tenant and is not deleted`,
  }),
  namespaceStuck: (message: string) => ({ type: "Warning", reason: "NamespaceStuck", note: message }),
  foreignLabel: (namespace: string) => ({
    type: "Warning",
    reason: "ForeignTenantLabel",
    note: `Namespace ${namespace} has the label of this Tenant but is not owned by it; the operator does not change it`,
  }),
  resourceConflict: (message: string) => ({ type: "Warning", reason: "ResourceConflict", note: message }),
  secretRecreated: {
    type: "Warning",
    reason: "SecretRecreated",
    note: "Recreated the deleted Secret of the Redis password with a new password; Redis and the server restart",
  },
  secretNotFound: (message: string) => ({ type: "Warning", reason: "SecretNotFound", note: message }),
  rotationStalled: (step: string) => ({
    type: "Warning",
    reason: "RotationStalled",
    note: `The rotation of the Redis password has been in step ${step} for more than 10 minutes`,
  }),
  expansionNotSupported: (message: string) => ({ type: "Warning", reason: "ExpansionNotSupported", note: message }),
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;
