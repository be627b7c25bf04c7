import type { KubeObject } from "./object.ts";

/** A kind of object, by its three names. The core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A collection of objects as it stands in URLs: `deployments` of `apps/v1`. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Whether objects of a kind live in a namespace. */
export type Scope = "Namespaced" | "Cluster";

declare const objectType: unique symbol;

/**
 * What a program needs to know of a kind to speak to an API server about it.
 *
 * `T` is the type of its objects; it exists for the compiler only.
 */
export interface ResourceType<T extends KubeObject = KubeObject> extends GroupVersionKind, GroupVersionResource {
  readonly scope: Scope;
  readonly [objectType]?: T;
}

/**
 * A resource type whose objects may be written with fewer fields than they are read with: the API server adds defaults.
 *
 * `In` is the type of what may be written; it exists for the compiler only. A type that does not say is written as it is read.
 */
export interface WritableResourceType<T extends KubeObject = KubeObject, In = T> extends ResourceType<T> {
  readonly "~input"?: In;
}

/** The type of the objects of a resource type: `ObjectOf<typeof Job>` is `Job`. */
export type ObjectOf<R extends ResourceType> = R extends ResourceType<infer T> ? T : never;
