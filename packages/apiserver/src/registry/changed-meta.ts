import { isEqual, type JsonRecord, type KubeObject, type ObjectMeta } from "@homeostat/core";

/** How a kind counts its changes. */
export interface ChangeRules {
  readonly hasGeneration: boolean;
  /** Whether `status` has a path of its own, and so does not count. */
  readonly hasStatus: boolean;
}

/**
 * The metadata of an object that is updated: what only the server sets is as it was.
 *
 * An update that names another uid is refused before; one that names none means the object there is.
 */
export function keptMeta(sent: ObjectMeta, before: ObjectMeta): ObjectMeta {
  // Taking keys out one by one would leave an object that the engine is slow with from then on.
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

/** The generation of an object after a change: one more when its wish is another, that is anything but metadata and status. */
export function nextGeneration(after: KubeObject, before: KubeObject, rules: ChangeRules): number | undefined {
  const { generation } = before.metadata;
  if (!rules.hasGeneration) return generation;
  return isEqual(wishOf(after, rules), wishOf(before, rules)) ? generation : (generation ?? 0) + 1;
}

function wishOf(object: KubeObject, { hasStatus }: ChangeRules): JsonRecord {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...wish }: KubeObject & JsonRecord = { ...object };
  if (!hasStatus) return wish;
  const { status: _status, ...rest } = wish;
  return rest;
}
