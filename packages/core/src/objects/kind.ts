import type { KubeObject } from "./object.ts";

/** Group, version and kind. The core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Group, version and plural resource name, as used in URLs: `deployments` of `apps/v1`. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The scope of a kind. */
export type Scope = "Namespaced" | "Cluster";

declare const objectType: unique symbol;

/**
 * A kind as a client needs it: its names and its scope.
 *
 * `T` is the type of its objects. It exists only at compile time.
 */
export interface ResourceType<T extends KubeObject = KubeObject> extends GroupVersionKind, GroupVersionResource {
  readonly scope: Scope;
  readonly [objectType]?: T;
}

/**
 * A resource type whose objects can be written with fewer fields than they are read with, because the API server adds defaults.
 *
 * `In` is the type of objects to write, by default `T`. It exists only at compile time.
 */
export interface WritableResourceType<T extends KubeObject = KubeObject, In = T> extends ResourceType<T> {
  readonly "~input"?: In;
}

/** The type of the objects of a resource type: `ObjectOf<typeof Job>` is `Job`. */
export type ObjectOf<R extends ResourceType> = R extends ResourceType<infer T> ? T : never;
