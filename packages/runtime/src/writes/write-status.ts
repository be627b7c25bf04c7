import type { WriteAnswer } from "@homeostat/client";
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
import { isAbsence, nameOf, readAgain, triesMax } from "./live.ts";
import { findOthers } from "./loop-watch.ts";
import type { RunScope } from "./reconcile-scope.ts";
import type { StatusDraft } from "./status-draft.ts";
import { placeOf } from "./write-recorder.ts";

/** What became of a status. */
export type StatusResult =
  /** It is as the draft says; with `unchanged`, it was so before and nothing was sent. */
  | { readonly result: "unchanged"; readonly object: Stored<KubeObject> }
  | { readonly result: "written"; readonly answer: WriteAnswer }
  /** The object is gone, and there is nothing to write to. A later one of its name is another. */
  | { readonly result: "gone" };

/**
 * Writes what a run has to say about the status of its object, all at once, if anything is different.
 *
 * One merge patch on `status`, with the difference and on condition of the version that it is the difference to: a merge patch
 * replaces lists, so without that it could take away somebody else's conditions. When somebody else was first, the draft is
 * made to what is there then, four times at most.
 */
export async function writeStatus(
  scope: RunScope,
  draft: Pick<StatusDraft, "next" | "isEmpty">,
): Promise<StatusResult> {
  const { client, fieldManager, signal, journal, type } = scope;
  let object: Stored<KubeObject> = scope.object;
  if (draft.isEmpty) return { result: "unchanged", object };
  const about = { verb: "patch", type, name: nameOf(object), subresource: "status" } as const;
  for (let tries = 1; ; tries += 1) {
    const status = statusDifference(object, draft);
    if (status === undefined) {
      journal.wrote({ verb: "patch", ...placeOf(about), result: "skipped", ms: 0 });
      return { result: "unchanged", object };
    }
    await findOthers(scope, {
      ...about,
      unmet: (live) => changedFields({ status: statusOf(live) }, { status: draft.next(statusOf(live)) }),
    });
    const merge = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
    try {
      const how = { subresource: "status", fieldManager, signal } as const;
      return { result: "written", answer: await client.patchUnread(type, about.name, { merge }, how) };
    } catch (error) {
      if (isAbsence(error)) return { result: "gone" };
      if (!(error instanceof ConflictError) || tries === triesMax) throw error;
    }
    const live = await readAgain(scope, tries);
    if (live === undefined) return { result: "gone" };
    object = live;
  }
}

/** What a draft would change in an object; undefined for nothing. */
function statusDifference(object: Stored<KubeObject>, draft: Pick<StatusDraft, "next">): unknown {
  const before = statusOf(object);
  return diffMergePatch(before, draft.next(before));
}

/** No status is the same as an empty one: otherwise an empty one would be written again and again where none is kept. */
function statusOf(object: object): Readonly<JsonRecord> {
  const status = isRecord(object) ? ownValue(object, "status") : undefined;
  return isRecord(status) ? status : {};
}
