import {
  controllerOf,
  type DeepReadonly,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
} from "@homeostat/core";
import { annotations, apiVersion, group, kind, labels, manager } from "../api/identity.ts";

/** A tenant, as far as it owns something. */
export interface OwningTenant {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly deletionPolicy?: "Delete" | "Retain" | undefined };
}

/**
 * Whether an object was made for a tenant: the only test before anything of it is changed or deleted (section 6).
 *
 * What has a controller belongs to that, by uid. What has none belongs to the tenant whose uid it was given, if it says that it
 * is managed by this operator. A label or a name alone is no proof: anybody can write them.
 */
export function isOwned(
  object: DeepReadonly<KubeObject>,
  { metadata: { uid } }: Pick<OwningTenant, "metadata">,
): boolean {
  const controller = controllerOf(object);
  if (controller !== undefined) return isTenantReference(controller) && controller.uid === uid;
  const { annotations: notes, labels: marks } = object.metadata;
  return ownText(notes, annotations.tenantUid) === uid && ownText(marks, labels.managedBy) === manager;
}

/** Whether a reference is to a tenant. */
export function isTenantReference(reference: DeepReadonly<OwnerReference>): boolean {
  return reference.kind === kind && groupOf(reference.apiVersion) === group;
}

/** Whether an object refers to a tenant as an owner, so that the garbage collector deletes it with the tenant. */
export function refersTo(
  object: DeepReadonly<KubeObject>,
  { metadata: { uid } }: Pick<OwningTenant, "metadata">,
): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false;
}

/**
 * The owner references of what is made for a tenant; none when it is to outlive the tenant: the garbage collector would delete
 * what was promised to be kept.
 */
export function ownerReferencesOf({ metadata: { name, uid }, spec }: OwningTenant): OwnerReference[] {
  if (spec.deletionPolicy === "Retain") return [];
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

function ownText(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function groupOf(text: string): string | undefined {
  try {
    return parseApiVersion(text).group;
  } catch {
    // Anybody may have written it; then it is no tenant.
    return undefined;
  }
}
