import type { KubeObject, ObjectKey, ResourceType, Stored } from "@homeostat/core";
import type { ListQuery } from "../cache/informer.ts";

/** Reads the informers of a controller by kind. For code that is shared by reconcilers, which may use different names for their kinds. */
export interface CacheReader {
  /** Returns the cached object, frozen. Throws an `ArgumentError` when the controller neither owns nor watches the kind. */
  get<T extends KubeObject>(type: ResourceType<T>, key: string | ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(type: ResourceType<T>, query?: ListQuery): readonly Stored<T>[];
  /** Returns the objects that an index of the kind has for a value. Throws an `ArgumentError` when the kind has no such index. */
  by<T extends KubeObject>(type: ResourceType<T>, index: string, value: string): readonly Stored<T>[];
}
