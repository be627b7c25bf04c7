import { isEqual, type JsonRecord, type KubeObject, type ObjectMeta } from "@homeostat/core";

/** Traits of a kind that decide when `metadata.generation` is incremented. */
export interface ChangeRules {
  readonly hasGeneration: boolean;
  /** True if `status` is a subresource. Changes of it then do not increment the generation. */
  readonly hasStatus: boolean;
}

/**
 * Returns the metadata of an update, with the fields that only the server sets taken from the stored object.
 *
 * An update with another uid was rejected before this point; one without a uid applies to the stored object.
 */
export function updatedMeta(sent: ObjectMeta, before: ObjectMeta): ObjectMeta {
  // No `delete`: V8 turns an object with deleted keys into a slow dictionary-mode object.
  const {
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...kept
  } = sent;
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = before;
  return {
    ...kept,
    ...(uid === undefined ? {} : { uid }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  };
}

/** Returns the generation after an update: incremented when anything other than metadata and a status subresource changed. */
export function nextGeneration(after: KubeObject, before: KubeObject, rules: ChangeRules): number | undefined {
  const { generation } = before.metadata;
  if (!rules.hasGeneration) return generation;
  return isEqual(contentOf(after, rules), contentOf(before, rules)) ? generation : (generation ?? 0) + 1;
}

function contentOf(object: KubeObject, { hasStatus }: ChangeRules): JsonRecord {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content }: KubeObject & JsonRecord = { ...object };
  if (!hasStatus) return content;
  const { status: _status, ...rest } = content;
  return rest;
}
