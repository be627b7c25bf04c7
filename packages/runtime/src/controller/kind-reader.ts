import {
  ArgumentError,
  type Stored,
  formatGroupResource,
  keyOf,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from "@homeostat/core";
import type { Informer, ListQuery } from "../cache/informer.ts";
import type { CacheReader } from "../kinds/cache-reader.ts";

/** A kind that a controller reads, with its informer and the names of its indexes. */
export interface FollowedKind {
  readonly type: ResourceType;
  readonly informer: Informer<KubeObject, string>;
  readonly indexes: ReadonlySet<string>;
}

/**
 * Reads the kinds of a controller from its informers.
 *
 * For a kind that is declared several times with different selectors, it returns objects from all of its informers.
 */
export class KindReader implements CacheReader {
  readonly #kinds = new Map<string, FollowedKind[]>();

  constructor(kinds: Iterable<FollowedKind>) {
    for (const kind of kinds) {
      const id = idOf(kind.type);
      this.#kinds.set(id, [...(this.#kinds.get(id) ?? []), kind]);
    }
  }

  get<T extends KubeObject>(type: ResourceType<T>, key: string | ObjectKey): Stored<T> | undefined;
  get(type: ResourceType, key: string | ObjectKey): Stored<KubeObject> | undefined {
    return findIn(this.#of(type), key);
  }

  /** Returns an object; undefined when it does not exist or the controller does not read the kind. */
  find(type: ResourceType, key: string | ObjectKey): Stored<KubeObject> | undefined {
    return findIn(this.#kinds.get(idOf(type)) ?? [], key);
  }

  list<T extends KubeObject>(type: ResourceType<T>, query?: ListQuery): readonly Stored<T>[];
  list(type: ResourceType, query?: ListQuery): readonly Stored<KubeObject>[] {
    return eachOnce(this.#of(type).map(({ informer }) => informer.list(query)));
  }

  by<T extends KubeObject>(type: ResourceType<T>, index: string, value: string): readonly Stored<T>[];
  by(type: ResourceType, index: string, value: string): readonly Stored<KubeObject>[] {
    const kinds = this.#of(type).filter(({ indexes }) => indexes.has(index));
    if (kinds.length === 0) {
      const problem = `is ${index}, but ${formatGroupResource(type)} has no such index; declare it with the kind.`;
      throw new ArgumentError({ argument: "index", problem });
    }
    return eachOnce(kinds.map(({ informer }) => informer.by(index, value)));
  }

  #of(type: ResourceType): readonly FollowedKind[] {
    const kinds = this.#kinds.get(idOf(type));
    if (kinds !== undefined) return kinds;
    const problem = `is ${formatGroupResource(type)}, which this controller neither owns nor watches; add it to watches, or use client.`;
    throw new ArgumentError({ argument: "type", problem });
  }
}

function findIn(kinds: readonly FollowedKind[], key: string | ObjectKey): Stored<KubeObject> | undefined {
  for (const { informer } of kinds) {
    const object = informer.get(key);
    if (object !== undefined) return object;
  }
  return undefined;
}

/** Returns the objects of several lists without duplicates. */
function eachOnce(lists: readonly (readonly Stored<KubeObject>[])[]): readonly Stored<KubeObject>[] {
  const [first = [], ...rest] = lists;
  if (rest.length === 0) return first;
  return [...new Map(lists.flat().map((object) => [keyOf(object), object])).values()];
}

function idOf({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}
