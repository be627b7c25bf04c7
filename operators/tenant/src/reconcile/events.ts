// The events that tell the story of a tenant. Every text of them stands here, but for those of the runtime.

import type { EventNote } from "@homeostat/runtime";
import type { Change } from "../apply/change.ts";

/** The events there are. */
export const events = {
  created: (what: string) => ({ reason: "Created", note: `Created ${what}` }),
  updated: (what: string) => ({ reason: "Updated", note: `Updated ${what}` }),
  running: { reason: "Running", note: "Tenant is running" },
  hibernated: { reason: "Hibernated", note: "Tenant is hibernated" },
  resumed: { reason: "Resumed", note: "Tenant is woken" },
  paused: { reason: "Paused", note: "Tenant is paused: nothing is written any more" },
  unpaused: { reason: "Unpaused", note: "Tenant is not paused any more" },
  adopted: (namespace: string) => ({ reason: "NamespaceAdopted", note: `Adopted namespace ${namespace}` }),
  retained: (namespace: string, why: string) => ({
    reason: "NamespaceRetained",
    note: `Namespace ${namespace} stays, because ${why}`,
  }),
  deleting: { reason: "Deleting", note: "Tenant is being deleted" },
  deletingNamespace: (namespace: string) => ({ reason: "DeletingNamespace", note: `Deleting namespace ${namespace}` }),
  rotationStarted: { reason: "PasswordRotationStarted", note: "The password of Redis is being changed" },
  rotated: { reason: "PasswordRotated", note: "The password of Redis was changed" },
  storageResized: { reason: "StorageResized", note: "The storage of Redis has the wanted size" },
  driftCorrected: (object: string, { fields, managers }: Change) => ({
    reason: "DriftCorrected",
    note: `${object} was changed (${fields.join(", ")})${managers.length === 0 ? "" : ` by ${managers.join(", ")}`} and put right`,
  }),
  deletionCorrected: (object: string) => ({
    reason: "DriftCorrected",
    note: `${object} was deleted, and made again`,
  }),
  failed: (message: string) => ({ type: "Warning", reason: "Failed", note: message }),
  invalid: (message: string) => ({ type: "Warning", reason: "InvalidSpec", note: message }),
  degraded: (message: string) => ({ type: "Warning", reason: "Degraded", note: message }),
  namespaceConflict: (message: string) => ({ type: "Warning", reason: "NamespaceConflict", note: message }),
  namespaceDeleted: (message: string) => ({ type: "Warning", reason: "NamespaceDeleted", note: message }),
  namespaceNotOwned: (namespace: string) => ({
    type: "Warning",
    reason: "NamespaceNotOwned",
    note: `Namespace ${namespace} is not owned by this Tenant and is left alone`,
  }),
  namespaceStuck: (message: string) => ({ type: "Warning", reason: "NamespaceStuck", note: message }),
  foreignLabel: (namespace: string) => ({
    type: "Warning",
    reason: "ForeignTenantLabel",
    note: `Namespace ${namespace} says that it belongs to this Tenant, and does not; it is left alone`,
  }),
  resourceConflict: (message: string) => ({ type: "Warning", reason: "ResourceConflict", note: message }),
  secretRecreated: {
    type: "Warning",
    reason: "SecretRecreated",
    note: "The Secret with the password of Redis was lost and has a new one; Redis and the server are restarted",
  },
  secretNotFound: (message: string) => ({ type: "Warning", reason: "SecretNotFound", note: message }),
  rotationStalled: (step: string) => ({
    type: "Warning",
    reason: "RotationStalled",
    note: `The change of the password of Redis has been in step ${step} for more than 10 minutes`,
  }),
  expansionNotSupported: (message: string) => ({ type: "Warning", reason: "ExpansionNotSupported", note: message }),
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;
