import type { DeepReadonly } from "../value/deep-readonly.ts";

/** The metadata of an object. The fields have the meaning of `meta/v1`. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** A reference from a dependent to its owner, used by the garbage collector. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The fields that a field manager owns, as recorded by server-side apply. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Any object of an API server. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object that was read from an API server, readonly. Unlike an object to be created, it has a name, a UID and a resource version. */
export type Stored<T> = DeepReadonly<T> & {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
};
