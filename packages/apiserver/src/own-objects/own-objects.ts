// Objects that the server stores for itself when it starts, or for a definition: nothing about them can be wrong, so they
// are written just as the registry would store them.

import { formatTime, type JsonRecord, type Random, uuid } from "@homeostat/core";
import { keyOf, keyPrefix } from "../registry/keys.ts";
import { sealed } from "../registry/stored.ts";
import type { Store } from "../storage/store.ts";

/** What an object is stored with. */
export interface StoreTools {
  readonly store: Store<JsonRecord>;
  readonly random: Random;
  readonly nowMs: number;
}

/** An object of the server's own. */
export interface OwnObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: it has none. */
  readonly namespace?: string;
  readonly name: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What it has besides its kind and metadata: `spec`, `status`, `data`. */
  readonly content: JsonRecord;
  /** The field managers, each with what it owns. */
  readonly managers: readonly {
    readonly manager: string;
    readonly operation: "Apply" | "Update";
    readonly fields: JsonRecord;
    readonly subresource?: string;
  }[];
}

/** Stores an object that is not there yet. */
export function storeOwn(object: OwnObject, { store, random, nowMs }: StoreTools): void {
  const { group, version, kind, plural, namespace, name, generation, labels, annotations, content } = object;
  const time = formatTime(nowMs);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const managedFields = object.managers.map(({ manager, operation, fields, subresource }) => ({
    manager,
    operation,
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource }),
  }));
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: uuid(random),
    resourceVersion: "0",
    ...(generation === undefined ? {} : { generation }),
    creationTimestamp: time,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    managedFields,
  };
  const key = keyOf(keyPrefix(group, plural), namespace ?? "", name);
  store.create(key, sealed({ kind, apiVersion, metadata, ...content }));
}

/** What a manager owns that wrote each key of a map. */
export function ownedKeys(map: Readonly<Record<string, unknown>>): JsonRecord {
  return { ".": {}, ...Object.fromEntries(Object.keys(map).map((key) => [`f:${key}`, {}])) };
}
