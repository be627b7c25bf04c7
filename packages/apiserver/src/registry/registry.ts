import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader, StoredKind, StoredName } from "../admission/cluster-reader.ts";
import type { ListOptions } from "../request/list-options.ts";
import type { Entry } from "../storage/entry.ts";
import type { Listed } from "../storage/page.ts";
import type { WatchHub } from "../watch/hub.ts";
import type { Call } from "./call.ts";
import { createObject } from "./create-object.ts";
import { deleteMany, type RemovedMany } from "./delete-many.ts";
import { deleteObject, type DeleteResult } from "./delete-object.ts";
import type { DeletionRequest } from "./deletion.ts";
import type { RegistryContext, RegistryWriteOptions, Written } from "./context.ts";
import { keyOf, keyPrefix, namespacePrefix } from "../resources/keys.ts";
import { getObject, listObjects } from "./read-objects.ts";
import { type UpdateSource, updateObject } from "./update-object.ts";
import { type WatchStartResult, watchObjects, type WatchShapes } from "./watch-objects.ts";

/**
 * Reads and writes objects of every kind, as the generic registry of kube-apiserver does: conversion, defaults, admission, validation,
 * managed fields.
 *
 * All differences between kinds are in the `ServedKind` of the call. Methods reject a request by throwing a `StatusError`.
 */
export class Registry implements ClusterReader {
  /** Dependencies of the operations; special endpoints use its store and admission directly. */
  readonly context: RegistryContext;
  readonly hub: WatchHub<JsonRecord>;

  constructor(home: RegistryContext, hub: WatchHub<JsonRecord>) {
    this.context = home;
    this.hub = hub;
  }

  /** Returns the entry of the call's object. */
  read(
    call: Call,
    options: { readonly resourceVersion: string } = { resourceVersion: "" },
  ): Promise<Entry<JsonRecord>> {
    return getObject(this.context, call, options);
  }

  /** Lists the objects of the call's namespace, or of all namespaces. */
  readMany(call: Call, options: ListOptions): Promise<Listed<JsonRecord>> {
    return listObjects(this.context, call, options);
  }

  /** Starts to watch the objects of the call's namespace, or of all namespaces. */
  watch(call: Call, options: ListOptions, shapes: WatchShapes): Promise<WatchStartResult> {
    return watchObjects(this.context, this.hub, call, options, shapes);
  }

  /** Creates an object that `ServedKind.complete` has returned. */
  create(call: Call, object: JsonRecord, writeOptions: RegistryWriteOptions): Promise<Written> {
    return createObject(this.context, call, object, writeOptions);
  }

  /** Updates an object. `putSource`, `patchSource` and `applySource` build the source for the three kinds of request. */
  update(call: Call, source: UpdateSource, writeOptions: RegistryWriteOptions): Promise<Written> {
    return updateObject(this.context, call, source, writeOptions);
  }

  /** Deletes an object, or starts its graceful deletion. */
  delete(
    call: Call,
    deletion: DeletionRequest,
    writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">,
  ): Promise<DeleteResult> {
    return deleteObject(this.context, call, deletion, writeOptions);
  }

  /** Deletes all objects that match the selectors. */
  deleteMany(
    call: Call,
    request: {
      readonly options: ListOptions;
      readonly deletion: DeletionRequest;
      readonly writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">;
    },
  ): Promise<RemovedMany> {
    return deleteMany(this.context, call, request);
  }

  /** Returns a stored object in its stored version, or undefined. It is shared: callers must not change it. */
  get({ group, resource, namespace, name }: StoredName): JsonRecord | undefined {
    const { store } = this.context;
    const entry = store.get(keyOf(keyPrefix(group, resource), namespace, name));
    return entry === undefined ? undefined : store.read(entry);
  }

  /** Returns the stored objects of a kind, in one or all namespaces. They are shared: callers must not change them. */
  list({ group, resource, namespace }: StoredKind): readonly JsonRecord[] {
    const { store } = this.context;
    const prefix = namespacePrefix(keyPrefix(group, resource), namespace);
    return store
      .view()
      .entries({ prefix })
      .map((entry) => store.read(entry));
  }
}
