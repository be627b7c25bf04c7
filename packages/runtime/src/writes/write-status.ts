import type { WriteResponse } from "@homeostat/client";
import {
  ConflictError,
  diffMergePatch,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
  type Stored,
} from "@homeostat/core";
import { changedFields } from "./changed-fields.ts";
import { isNotFound, nameOf, readLive, attemptsMax } from "./live.ts";
import { findOtherManagers } from "./loop-watch.ts";
import type { ReconcileScope } from "./reconcile-scope.ts";
import type { StatusDraft } from "./status-draft.ts";
import { targetOf } from "./write-recorder.ts";

/** Result of a status write. */
export type StatusResult =
  /** The status already had the desired content, and no request was sent. */
  | { readonly result: "unchanged"; readonly object: Stored<KubeObject> }
  | { readonly result: "written"; readonly answer: WriteResponse }
  /** The object was deleted. A recreated object of the same name counts as another one. */
  | { readonly result: "gone" };

/**
 * Writes the status changes of a reconcile in one request, if they change the content.
 *
 * The request is a merge patch of the status subresource with the difference to the cached status, conditional on the resource version of that status. A
 * merge patch replaces whole lists, so without the condition it could remove conditions that another client has added. After a conflict, the
 * changes are applied to the live status, with four attempts at most.
 */
export async function writeStatus(
  scope: ReconcileScope,
  draft: Pick<StatusDraft, "next" | "isEmpty">,
): Promise<StatusResult> {
  const { client, fieldManager, signal, journal, type } = scope;
  let object: Stored<KubeObject> = scope.object;
  if (draft.isEmpty) return { result: "unchanged", object };
  const about = { verb: "patch", type, name: nameOf(object), subresource: "status" } as const;
  for (let attempt = 1; ; attempt += 1) {
    const status = statusDifference(object, draft);
    if (status === undefined) {
      journal.wrote({ verb: "patch", ...targetOf(about), result: "skipped", ms: 0 });
      return { result: "unchanged", object };
    }
    await findOtherManagers(scope, {
      ...about,
      drifted: (live) => changedFields({ status: statusOf(live) }, { status: draft.next(statusOf(live)) }),
    });
    const merge = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
    try {
      const how = { subresource: "status", fieldManager, signal } as const;
      return { result: "written", answer: await client.patchUnread(type, about.name, { merge }, how) };
    } catch (error) {
      if (isNotFound(error)) return { result: "gone" };
      if (!(error instanceof ConflictError) || attempt === attemptsMax) throw error;
    }
    const live = await readLive(scope, attempt);
    if (live === undefined) return { result: "gone" };
    object = live;
  }
}

/** Returns the merge patch for the status of an object; undefined if the draft changes nothing. */
function statusDifference(object: Stored<KubeObject>, draft: Pick<StatusDraft, "next">): unknown {
  const before = statusOf(object);
  return diffMergePatch(before, draft.next(before));
}

/** Returns the status of an object; empty if it is missing. Otherwise an empty status that the server does not store would be written forever. */
function statusOf(object: object): Readonly<JsonRecord> {
  const status = isRecord(object) ? ownValue(object, "status") : undefined;
  return isRecord(status) ? status : {};
}
