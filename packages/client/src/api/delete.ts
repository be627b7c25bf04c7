import { ArgumentError, isList, isRecord, type KubeObject, ownValue, type ResourceType } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { call, type Caller, callJson, type CallOptions, readJson, subjectOf } from "./call.ts";
import { isAbsence } from "./get.ts";
import { acceptHeader, isStatus, objectIn } from "./objects.ts";
import { collectionPath, objectPath, type ObjectName, withQuery } from "./paths.ts";
import { selectorQuery, type SelectorOptions } from "./selectors.ts";
import { writeParts } from "./write.ts";

/** What happens to the objects that the deleted one owns. */
export type Propagation =
  /** They are deleted first, and the object stays, marked, until they are gone. */
  | "Foreground"
  /** The object goes first and they are deleted afterwards. */
  | "Background"
  /** They stay, without an owner. */
  | "Orphan";

/** What must be true of an object for the server to delete it; otherwise it answers with a `ConflictError`. */
export interface Preconditions {
  /** It is this very object, not a later one of the same name. */
  readonly uid?: string | undefined;
  /** Nobody has changed it since it was read. */
  readonly resourceVersion?: string | undefined;
}

/** How to delete. */
export interface DeleteOptions extends CallOptions {
  readonly preconditions?: Preconditions | undefined;
  /** Left out: what the kind's finalizers say, else `Background`. */
  readonly propagation?: Propagation | undefined;
  /** How long a pod may take to end; 0 does not wait for it. Left out: what the pod says. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Only check, and answer as if it were done. */
  readonly dryRun?: boolean | undefined;
}

/** What became of a deletion. */
export interface Deleted<T> {
  /** Whether there was such an object. */
  readonly wasFound: boolean;
  /**
   * The object as the server left it: marked with a `deletionTimestamp` while finalizers, dependents or a grace period
   * hold it. Undefined when the server only confirms that it is gone.
   */
  readonly object: T | undefined;
}

/** Which objects to delete. */
export interface DeleteCollectionOptions extends DeleteOptions, SelectorOptions {
  /** The namespace, without which namespaced objects are not deleted. */
  readonly namespace?: string | undefined;
  /** Must be true to delete without a selector, that is, everything. */
  readonly everything?: boolean | undefined;
}

/** Deletes one object. */
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
    if (isAbsence(error)) return { wasFound: false, object: undefined };
    throw error;
  }
  const answer = await readJson(request, response);
  return { wasFound: true, object: isStatus(answer) ? undefined : objectIn(answer, type, request) };
}

/** Deletes the objects that the selectors choose; resolves with those that the server names. */
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
      problem: `is empty, which means all ${type.plural}. Say { everything: true } if that is what you want.`,
    });
  }
  if (type.scope === "Namespaced" && !namespace) {
    throw new ArgumentError({ argument: "namespace", problem: `is missing; ${type.plural} live in namespaces.` });
  }
  const request: Request = {
    method: "DELETE",
    path: withQuery(collectionPath(type, namespace), query),
    headers: { accept: acceptHeader(type, "list"), "content-type": "application/json" },
    body: deletionBody(caller, options),
    about: subjectOf("deletecollection", type),
    ...writeParts(caller, options),
  };
  const answer = await callJson(caller, request);
  const found = isRecord(answer) ? ownValue(answer, "items") : undefined;
  return isList(found) ? found.map((item) => objectIn(item, type, request)) : [];
}

/** `DeleteOptions` as the server reads them. */
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
