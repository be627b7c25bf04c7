import { formatTime, nameSuffix, type ObjectMeta, type Random, uuid } from "@homeostat/core";

/** Inputs of {@link newMeta}. */
export interface NewMetaOptions {
  /** Undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly hasGeneration: boolean;
  readonly now: number;
  readonly random: Random;
}

/** `maxGeneratedNameLength` of kube-apiserver: a longer `generateName` is cut. */
const basePrefixMax = 58;
const suffixLength = 5;

/** Number of generated names that a create tries before it fails. */
export const nameAttemptsMax = 8;

/** Reports whether the server must generate the name: `generateName` is set and `name` is not. */
export function needsName({ name = "", generateName = "" }: ObjectMeta): boolean {
  return name === "" && generateName !== "";
}

/** Returns `generateName` with a random suffix. */
export function generatedName({ generateName = "" }: ObjectMeta, random: Random): string {
  return generateName.slice(0, basePrefixMax) + nameSuffix(random, suffixLength);
}

/**
 * Returns the metadata of a new object. Fields that only the server sets replace those that the client sent.
 *
 * The name stays as sent; see {@link generatedName}. The store sets the `resourceVersion`.
 */
export function newMeta(sent: ObjectMeta, { namespace, hasGeneration, now, random }: NewMetaOptions): ObjectMeta {
  const {
    uid: _uid,
    resourceVersion: _version,
    generation,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    namespace: _namespace,
    ...kept
  } = sent;
  return {
    ...kept,
    ...(namespace === undefined ? {} : { namespace }),
    uid: uuid(random),
    creationTimestamp: formatTime(now),
    // Kinds without generation keep the value that the client sent, as on kube-apiserver.
    ...(hasGeneration ? { generation: 1 } : generation === undefined ? {} : { generation }),
  };
}
