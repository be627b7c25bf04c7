import { WriteResponse } from "@homeostat/client";
import { isList, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";

/**
 * The identity of a writer, used to recognize its own changes in events. Any text chosen by the program, such as
 * `"tenants default/blue"` for the reconciler of one object.
 *
 * An event that shows nothing but the result of a writer's own write says so by `isKnownTo`.
 */
export type Writer = string;

/**
 * Facts about a write that can prove that its result contains nothing unknown to its writer.
 *
 * Without any, the writer is notified of its own result: a write that changed nothing returns the object as another
 * client may have left it. One of the three facts suffices.
 */
export interface WriteEvidence {
  /** True if the server created the object (status 201): there was nothing before. */
  readonly isNew?: boolean | undefined;
  /**
   * The resourceVersion that was a precondition of the write. If the cache had that version, nothing came in between.
   */
  readonly basedOn?: string | undefined;
  /**
   * The part of the object that was sent: the body of an apply, or a merge patch. Proves the write if every difference
   * from the cached object is in it.
   */
  readonly sent?: unknown;
}

/**
 * One write of this process, from before it is sent until its response arrives. Disposing of it without a response
 * means that it failed.
 */
export interface WriteTicket extends Disposable {
  /** Reports the response to a create, update, patch or apply: the object as it is now. */
  wrote(response: KubeObject | WriteResponse, evidence?: WriteEvidence): void;
  /** Reports the response to a delete: the object if it still exists (finalizers, grace period), or a `Status`. */
  deleted(response: unknown): void;
  /** Reports that the write failed or that its outcome is unknown, for example after a timeout. */
  failed(): void;
}

/** The meaning of the response to a delete. */
export type DeletionResponse =
  /** The object still exists and is being deleted. `sent` holds the fields that the deletion has set. */
  | { readonly object: KubeObject; readonly sent: unknown }
  /** The object with this uid no longer exists; undefined if the response does not name it. */
  | { readonly uid: string | undefined };

/**
 * Interprets the response to a delete: a `Status`, or the object.
 *
 * A returned object still exists if something keeps it: a finalizer or a grace period.
 */
export function readDeletionResponse(response: unknown): DeletionResponse {
  if (!isRecord(response)) return { uid: undefined };
  if (isObject(response)) {
    const { deletionTimestamp, deletionGracePeriodSeconds, uid } = response.metadata;
    if (deletionTimestamp === undefined || isUnheld(response)) return { uid };
    return { object: response, sent: { metadata: { deletionTimestamp, deletionGracePeriodSeconds } } };
  }
  const details = ownValue(response, "details");
  const uid = isRecord(details) ? ownValue(details, "uid") : undefined;
  return { uid: typeof uid === "string" ? uid : undefined };
}

/**
 * Reports whether the response to a create, update, patch or apply shows an object that the API server has removed.
 *
 * When a write takes away the last finalizer of an object that is being deleted, the server deletes the object instead of
 * storing it and responds with the object of the request. That response has the resourceVersion from before the write, so
 * its version alone would make it look like a write that changed nothing. `ShouldDeleteDuringUpdate` in
 * k8s.io/apiserver/pkg/registry/generic/registry/store.go is the server's side of this rule.
 */
export function isRemoval(response: KubeObject | WriteResponse): boolean {
  if (!(response instanceof WriteResponse))
    return response.metadata.deletionTimestamp !== undefined && isUnheld(response);
  // A search of the bytes: almost no response has the field, and responses are parsed only where needed.
  if (!response.bytes.includes(deletionKey)) return false;
  const { object } = response;
  return object.metadata.deletionTimestamp !== undefined && isUnheld(object);
}

const deletionKey = Buffer.from('"deletionTimestamp"');

/** Reports whether nothing keeps an object that is being deleted: no finalizer, no time to shut down. */
function isUnheld(object: KubeObject): boolean {
  const { deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
  return finalizers.length === 0 && (deletionGracePeriodSeconds ?? 0) === 0 && !hasNamespaceFinalizers(object);
}

/** Reports whether an object is a Namespace whose contents are still being deleted: it has a second list of finalizers. */
function hasNamespaceFinalizers(object: KubeObject & { readonly spec?: unknown }): boolean {
  if (object.kind !== "Namespace" || object.apiVersion !== "v1") return false;
  const finalizers = isRecord(object.spec) ? ownValue(object.spec, "finalizers") : undefined;
  return isList(finalizers) && finalizers.length > 0;
}

function isObject(response: JsonRecord): response is JsonRecord & KubeObject {
  return (
    response["kind"] !== "Status" &&
    typeof response["apiVersion"] === "string" &&
    isRecord(response["metadata"]) &&
    "name" in response["metadata"]
  );
}
