import type { Patch } from "@homeostat/client";
import { type DeepReadonly, isRecord, type KubeObject, ownValue } from "@homeostat/core";
import type { WriteEvidence } from "../cache/writes.ts";

/** Returns the evidence of an update: the resource version that it was conditional on, if any. */
export function evidenceOfUpdate(object: { readonly metadata: { readonly resourceVersion?: string } }): WriteEvidence {
  return { basedOn: object.metadata.resourceVersion };
}

/**
 * Returns the evidence of a patch: the sent content, and the resource version that it was conditional on.
 *
 * A merge patch is conditional on the resource version that it contains, a JSON patch on one that it tests.
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
 * Returns the evidence of an apply: the sent content, and whether the apply created the object.
 *
 * An apply response does not tell whether the object was created. But if managedFields of a first generation has a single entry, of an apply,
 * then no other client has set any field of the object.
 */
export function evidenceOfApply(sent: unknown, response: DeepReadonly<KubeObject>): WriteEvidence {
  const { managedFields = [], deletionTimestamp, generation = 1 } = response.metadata;
  const [entry] = managedFields;
  const isAlone =
    managedFields.length === 1 && entry?.operation === "Apply" && (entry.subresource ?? "") === "" && generation === 1;
  return isAlone && deletionTimestamp === undefined ? { sent, isNew: true } : { sent };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
