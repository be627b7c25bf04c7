// Objects that the server itself writes. They are known to be valid, so they bypass admission and validation and are written in the form
// in which the registry would store them, managed fields included.

import { formatTime, type JsonRecord, type Random, uuid } from "@homeostat/core";
import { keyOf, keyPrefix } from "../resources/keys.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import type { Store } from "../storage/store.ts";

/** Dependencies of {@link storeOwn}. */
export interface StoreTools {
  readonly store: Store<JsonRecord>;
  readonly random: Random;
  readonly nowMs: number;
}

/** An object that the server itself writes. */
export interface OwnObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: cluster-scoped. */
  readonly namespace?: string;
  readonly name: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields besides type and metadata: `spec`, `status`, `data`. */
  readonly content: JsonRecord;
  /** Field managers, each with the fields that it owns. */
  readonly managers: readonly {
    readonly manager: string;
    readonly operation: "Apply" | "Update";
    readonly fields: JsonRecord;
    readonly subresource?: string;
  }[];
}

/** Stores an object; does nothing when it already exists. */
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
  store.create(key, encodeAtRevision({ kind, apiVersion, metadata, ...content }));
}

/** Returns the field set that owns every key of a map. */
export function ownedKeys(map: Readonly<Record<string, unknown>>): JsonRecord {
  return { ".": {}, ...Object.fromEntries(Object.keys(map).map((key) => [`f:${key}`, {}])) };
}
