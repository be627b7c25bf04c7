import { WriteAnswer } from "@homeostat/client";
import { isList, isRecord, type JsonRecord, type KubeObject, ownValue } from "@homeostat/core";

/**
 * Who writes, for telling apart whose change an event shows: a text of the program's choice, such as
 * `"tenants default/blue"` for the reconciler of one object.
 *
 * The result of a write is known to its writer. An event that shows nothing else says so by `isKnownTo`.
 */
export type Writer = string;

/**
 * What is known of a write that can prove that its result holds nothing unknown to its writer.
 *
 * Without any, the writer is told of its own result: a write that changes nothing is answered with the object as somebody
 * else may have left it.
 */
export interface WriteEvidence {
  /** The server said that the object is new (201). */
  readonly isNew?: boolean | undefined;
  /** The version that the write was made conditional on. */
  readonly basedOn?: string | undefined;
  /** The part of the object that was sent: the body of an apply, or a merge patch. */
  readonly sent?: unknown;
}

/** One write of this process, from before it is sent until it is answered. Disposing of it unanswered means it failed. */
export interface WriteTicket extends Disposable {
  /** The server answered with the object as it is now: to a create, an update, a patch, an apply. */
  wrote(answer: KubeObject | WriteAnswer, evidence?: WriteEvidence): void;
  /** The server answered a deletion: with the object if it still has to go, or with a status. */
  deleted(answer: unknown): void;
  /** It failed, or nobody knows what became of it. */
  failed(): void;
}

/** What the answer to a deletion says. */
export type DeletionAnswer =
  /** The object is still there, and on its way out. `sent` is what the deletion has set in it. */
  | { readonly object: KubeObject; readonly sent: unknown }
  /** The object with this uid is gone; undefined when the server did not name it. */
  | { readonly uid: string | undefined };

/**
 * Reads the answer to a deletion: a `Status`, or the object.
 *
 * An object that is returned is still there when something keeps it: a finalizer, or the time it is given to end.
 */
export function readDeletionAnswer(answer: unknown): DeletionAnswer {
  if (!isRecord(answer)) return { uid: undefined };
  if (isObject(answer)) {
    const { deletionTimestamp, deletionGracePeriodSeconds, uid } = answer.metadata;
    if (deletionTimestamp === undefined || isUnheld(answer)) return { uid };
    return { object: answer, sent: { metadata: { deletionTimestamp, deletionGracePeriodSeconds } } };
  }
  const details = ownValue(answer, "details");
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
export function isRemoval(answer: KubeObject | WriteAnswer): boolean {
  if (!(answer instanceof WriteAnswer)) return answer.metadata.deletionTimestamp !== undefined && isUnheld(answer);
  // A search of the bytes: almost no response has the field, and responses are parsed only where needed.
  if (!answer.bytes.includes(deletionKey)) return false;
  const { object } = answer;
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

function isObject(answer: JsonRecord): answer is JsonRecord & KubeObject {
  return (
    answer["kind"] !== "Status" &&
    typeof answer["apiVersion"] === "string" &&
    isRecord(answer["metadata"]) &&
    "name" in answer["metadata"]
  );
}
