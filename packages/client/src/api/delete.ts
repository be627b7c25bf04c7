import { ArgumentError, isList, isRecord, type KubeObject, ownValue, type ResourceType } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { call, type Caller, callJson, type CallOptions, readJson, subjectOf } from "./call.ts";
import { isObjectNotFound } from "./get.ts";
import { acceptHeader, isStatus, objectIn } from "./objects.ts";
import { collectionPath, objectPath, type ObjectName, withQuery } from "./paths.ts";
import { selectorQuery, type SelectorOptions } from "./selectors.ts";
import { writeParts } from "./write.ts";

/** The deletion of dependents, the objects that the deleted object owns. */
export type Propagation =
  /** Dependents are deleted first. The object stays, with a deletion timestamp, until they are deleted. */
  | "Foreground"
  /** The object is deleted at once, its dependents afterwards by the garbage collector. */
  | "Background"
  /** Dependents are kept, without the owner reference. */
  | "Orphan";

/** Conditions for a deletion. If one does not hold, the call throws a `ConflictError`. */
export interface Preconditions {
  /** The UID of the object, to avoid deleting a recreated object of the same name. */
  readonly uid?: string | undefined;
  /** The resource version of the object, to avoid deleting an object that has changed. */
  readonly resourceVersion?: string | undefined;
}

/** Options of a deletion. */
export interface DeleteOptions extends CallOptions {
  readonly preconditions?: Preconditions | undefined;
  /** Default of the server: according to the finalizers of the object, else `Background`. */
  readonly propagation?: Propagation | undefined;
  /** The grace period of a pod in seconds; 0 deletes it immediately. Default: that of the pod. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Validates the request without deleting anything. */
  readonly dryRun?: boolean | undefined;
}

/** The result of a deletion. */
export interface Deleted<T> {
  /** True if the object existed. */
  readonly wasFound: boolean;
  /**
   * The object after the request, with a `deletionTimestamp` while finalizers, dependents or a grace period keep it. Undefined if
   * the server responds with a `Status`, which means that the object was removed.
   */
  readonly object: T | undefined;
}

/** Options of the deletion of a collection. */
export interface DeleteCollectionOptions extends DeleteOptions, SelectorOptions {
  /** The namespace. Required for namespaced kinds. */
  readonly namespace?: string | undefined;
  /** Must be true to delete without a selector, that is, all objects. */
  readonly everything?: boolean | undefined;
}

/** Deletes an object. */
export async function remove<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  name: ObjectName,
  options: DeleteOptions = {},
): Promise<Deleted<T>> {
  const request: Request = {
    method: "DELETE",
    path: objectPath(type, name),
    headers: { accept: acceptHeader(type, "object"), "content-type": "application/json" },
    body: deletionBody(caller, options),
    about: subjectOf("delete", type, name),
    ...writeParts(caller, options),
  };
  let response;
  try {
    response = await call(caller, request);
  } catch (error) {
    if (isObjectNotFound(error)) return { wasFound: false, object: undefined };
    throw error;
  }
  const value = await readJson(request, response);
  return { wasFound: true, object: isStatus(value) ? undefined : objectIn(value, type, request) };
}

/** Deletes the objects that the selectors match. Returns the objects in the response. */
export async function removeCollection<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  options: DeleteCollectionOptions,
): Promise<T[]> {
  const { namespace, everything } = options;
  const query = selectorQuery(options);
  if (query.labelSelector === undefined && query.fieldSelector === undefined && everything !== true) {
    throw new ArgumentError({
      argument: "labelSelector",
      problem: `is empty, which selects all ${type.plural}. Set { everything: true } to delete all of them.`,
    });
  }
  if (type.scope === "Namespaced" && !namespace) {
    throw new ArgumentError({ argument: "namespace", problem: `is required; ${type.plural} are namespaced.` });
  }
  const request: Request = {
    method: "DELETE",
    path: withQuery(collectionPath(type, namespace), query),
    headers: { accept: acceptHeader(type, "list"), "content-type": "application/json" },
    body: deletionBody(caller, options),
    about: subjectOf("deletecollection", type),
    ...writeParts(caller, options),
  };
  const value = await callJson(caller, request);
  const items = isRecord(value) ? ownValue(value, "items") : undefined;
  return isList(items) ? items.map((item) => objectIn(item, type, request)) : [];
}

/** Returns the `DeleteOptions` object of the API. */
export function deletionOptions(caller: Caller, options: DeleteOptions): Readonly<Record<string, unknown>> {
  const { preconditions, propagation, gracePeriodSeconds, dryRun = caller.defaults.dryRun } = options;
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    preconditions,
    propagationPolicy: propagation,
    gracePeriodSeconds,
    dryRun: dryRun === true ? ["All"] : undefined,
  };
}

function deletionBody(caller: Caller, options: DeleteOptions): string {
  return JSON.stringify(deletionOptions(caller, options));
}
