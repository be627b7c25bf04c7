import type { Patch } from "@homeostat/client";
import { type DeepReadonly, isRecord, type KubeObject, ownValue } from "@homeostat/core";
import type { WriteEvidence } from "../cache/writes.ts";

/** What is known of an update: the version it was made conditional on, if it was. */
export function evidenceOfUpdate(object: { readonly metadata: { readonly resourceVersion?: string } }): WriteEvidence {
  return { basedOn: object.metadata.resourceVersion };
}

/**
 * What is known of a patch: what it sent, and the version that it was made conditional on.
 *
 * A merge patch is conditional on the version it names; a JSON patch on one that it tests.
 */
export function evidenceOfPatch(patch: Patch): WriteEvidence {
  if ("json" in patch) {
    const test = patch.json.find(({ op, path }) => op === "test" && path === "/metadata/resourceVersion");
    return { basedOn: test !== undefined && "value" in test ? textOf(test.value) : undefined };
  }
  const sent: unknown = "merge" in patch ? patch.merge : patch.strategic;
  const metadata = isRecord(sent) ? ownValue(sent, "metadata") : undefined;
  return { sent, basedOn: isRecord(metadata) ? textOf(ownValue(metadata, "resourceVersion")) : undefined };
}

/**
 * What is known of an apply: what it sent, and whether there is nothing else in the result.
 *
 * The server keeps a record of who has set which field. When it names nobody but us, and us for this very apply, then there
 * is nothing in the object that somebody else has put there.
 */
export function evidenceOfApply(sent: unknown, answer: DeepReadonly<KubeObject>): WriteEvidence {
  const { managedFields = [], deletionTimestamp, generation = 1 } = answer.metadata;
  const [entry] = managedFields;
  const isAlone =
    managedFields.length === 1 && entry?.operation === "Apply" && (entry.subresource ?? "") === "" && generation === 1;
  return isAlone && deletionTimestamp === undefined ? { sent, isNew: true } : { sent };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
