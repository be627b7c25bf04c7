/** What every stored Kubernetes object carries about itself. Field meanings are those of `meta/v1`. */
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

/** Points from a dependent to its owner; the garbage collector follows it. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which manager set which fields, as server-side apply records it. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Anything an API server stores. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

type Primitive = null | undefined | boolean | number | string | bigint | symbol;

/** `T` with every property and element read-only, however deep: what a cache hands out. */
// `unknown` stays: a mapped type would make `{}` of it. Primitives come first: a branded string is an object to one.
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly (infer E)[]
      ? readonly DeepReadonly<E>[]
      : { readonly [K in keyof T]: DeepReadonly<T[K]> };

/** An object as an API server keeps it, frozen: unlike one that is still to be sent, it has a name, a uid and a version. */
export type Stored<T> = DeepReadonly<T> & {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
};
