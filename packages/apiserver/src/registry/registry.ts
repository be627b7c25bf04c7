import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader, StoredKind, StoredName } from "../admission/cluster-reader.ts";
import type { ListOptions } from "../request/list-options.ts";
import type { Entry } from "../storage/entry.ts";
import type { Listed } from "../storage/page.ts";
import type { WatchHub } from "../watch/hub.ts";
import type { Call } from "./call.ts";
import { createObject } from "./create-object.ts";
import { deleteMany, type RemovedMany } from "./delete-many.ts";
import { deleteObject, type Removed } from "./delete-object.ts";
import type { DeletionWish } from "./deletion.ts";
import type { RegistryHome, WriteChoice, Written } from "./context.ts";
import { keyOf, keyPrefix, namespacePrefix } from "./keys.ts";
import { getObject, listObjects } from "./read-objects.ts";
import { type UpdateSource, updateObject } from "./update-object.ts";
import { type WatchBegun, watchObjects, type WatchShapes } from "./watch-objects.ts";

/**
 * Reads and writes objects of every kind, as the generic registry of kube-apiserver does: conversion, defaults, admission, validation,
 * managed fields.
 *
 * All differences between kinds are in the `ServedKind` of the call. Methods reject a request by throwing a `StatusError`.
 */
export class Registry implements ClusterReader {
  /** Dependencies of the operations; special endpoints use its store and admission directly. */
  readonly home: RegistryHome;
  readonly hub: WatchHub<JsonRecord>;

  constructor(home: RegistryHome, hub: WatchHub<JsonRecord>) {
    this.home = home;
    this.hub = hub;
  }

  /** Returns the entry of the call's object. */
  read(
    call: Call,
    options: { readonly resourceVersion: string } = { resourceVersion: "" },
  ): Promise<Entry<JsonRecord>> {
    return getObject(this.home, call, options);
  }

  /** Lists the objects of the call's namespace, or of all namespaces. */
  readMany(call: Call, options: ListOptions): Promise<Listed<JsonRecord>> {
    return listObjects(this.home, call, options);
  }

  /** Starts to watch the objects of the call's namespace, or of all namespaces. */
  watch(call: Call, options: ListOptions, shapes: WatchShapes): Promise<WatchBegun> {
    return watchObjects(this.home, this.hub, call, options, shapes);
  }

  /** Creates an object that `ServedKind.complete` has returned. */
  create(call: Call, object: JsonRecord, writeOptions: WriteChoice): Promise<Written> {
    return createObject(this.home, call, object, writeOptions);
  }

  /** Updates an object. `putSource`, `patchSource` and `applySource` build the source for the three kinds of request. */
  update(call: Call, source: UpdateSource, writeOptions: WriteChoice): Promise<Written> {
    return updateObject(this.home, call, source, writeOptions);
  }

  /** Deletes an object, or starts its graceful deletion. */
  delete(
    call: Call,
    deletion: DeletionWish,
    writeOptions: Pick<WriteChoice, "isDryRun" | "options">,
  ): Promise<Removed> {
    return deleteObject(this.home, call, deletion, writeOptions);
  }

  /** Deletes all objects that match the selectors. */
  deleteMany(
    call: Call,
    request: {
      readonly options: ListOptions;
      readonly deletion: DeletionWish;
      readonly writeOptions: Pick<WriteChoice, "isDryRun" | "options">;
    },
  ): Promise<RemovedMany> {
    return deleteMany(this.home, call, request);
  }

  /** Returns a stored object in its stored version, or undefined. It is shared: callers must not change it. */
  get({ group, resource, namespace, name }: StoredName): JsonRecord | undefined {
    const { store } = this.home;
    const entry = store.get(keyOf(keyPrefix(group, resource), namespace, name));
    return entry === undefined ? undefined : store.read(entry);
  }

  /** Returns the stored objects of a kind, in one or all namespaces. They are shared: callers must not change them. */
  list({ group, resource, namespace }: StoredKind): readonly JsonRecord[] {
    const { store } = this.home;
    const prefix = namespacePrefix(keyPrefix(group, resource), namespace);
    return store
      .view()
      .entries({ prefix })
      .map((entry) => store.read(entry));
  }
}
