import { formatTime, nameSuffix, type ObjectMeta, type Random, uuid } from "@homeostat/core";

/** What the server puts into the metadata of a new object. */
export interface NewMetaOptions {
  /** Undefined for kinds without one. */
  readonly namespace: string | undefined;
  readonly hasGeneration: boolean;
  readonly now: number;
  readonly random: Random;
}

/** The longest beginning of a name that the server adds its own end to. */
const basePrefixMax = 58;
const suffixLength = 5;

/** How often a name is made up before the server gives in. */
export const nameTriesMax = 8;

/** Whether the server has to make up a name: there is a beginning, and no whole one. */
export function needsName({ name = "", generateName = "" }: ObjectMeta): boolean {
  return name === "" && generateName !== "";
}

/** A name with the beginning that was asked for. */
export function madeUpName({ generateName = "" }: ObjectMeta, random: Random): string {
  return generateName.slice(0, basePrefixMax) + nameSuffix(random, suffixLength);
}

/**
 * The metadata of an object as it is created: what only the server sets is set by it, whatever was sent.
 *
 * The name is as it was sent; see {@link madeUpName}. The version comes with the write.
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
    // Where nobody counts, what was sent stays: so it is on the real server.
    ...(hasGeneration ? { generation: 1 } : generation === undefined ? {} : { generation }),
  };
}
