import { createHash } from "node:crypto";
import { type DeepReadonly, isList, isRecord, type JsonRecord, type KubeObject, safeSet } from "@homeostat/core";
import { annotations } from "../api/identity.ts";
import { ownerReferencesOf, type OwningTenant } from "./owned.ts";

/** An object that is wanted, with a name. */
export type WantedObject = DeepReadonly<KubeObject> & { readonly metadata: { readonly name: string } };

/**
 * What is wanted, marked as made for a tenant: its uid, its reference unless it is to outlive the tenant, and a digest of all of
 * that, by which a later pass tells its own change of mind from somebody else's change.
 */
export function stamp<T extends WantedObject>(object: T, tenant: OwningTenant): T & WantedObject {
  const references = ownerReferencesOf(tenant);
  const { annotations: notes, ...metadata } = object.metadata;
  const marks = { ...notes, [annotations.tenantUid]: tenant.metadata.uid };
  const owners = references.length === 0 ? {} : { ownerReferences: references };
  const marked = { ...object, metadata: { ...metadata, annotations: marks, ...owners } };
  const hash = { [annotations.desiredHash]: digestOf(marked) };
  return { ...marked, metadata: { ...marked.metadata, annotations: { ...marks, ...hash } } };
}

/** What an object was last wanted to be, as a digest; undefined when nobody knows. */
export function recordedHash(object: DeepReadonly<KubeObject>): string | undefined {
  const notes = object.metadata.annotations;
  const name = annotations.desiredHash;
  return notes !== undefined && Object.hasOwn(notes, name) ? notes[name] : undefined;
}

const digestLength = 16;

/** A digest of a value in which the order of keys does not count. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(inOrder(value)))
    .digest("hex")
    .slice(0, digestLength);
}

function inOrder(value: unknown): unknown {
  if (isList(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const sorted: JsonRecord = {};
  for (const key of Object.keys(value).toSorted()) {
    if (value[key] !== undefined) safeSet(sorted, key, inOrder(value[key]));
  }
  return sorted;
}
