// Decisions about the partitions of a broker: whether it may restart, and where its replicas move when it is removed.

import type { Metadata, OngoingReassignment, Partition, Reassignment } from "../protocol/messages.ts";

/** The response to `GET /restart-check` of the component contract. */
export interface RestartCheck {
  readonly safe: boolean;
  readonly reason: string;
}

/**
 * Returns whether all partitions of a broker keep their minimum of in-sync replicas without it.
 *
 * Without the minimum, a partition accepts no writes with acks=all. It keeps its records, but clients notice.
 */
export function restartCheck(
  broker: number,
  { partitions }: Metadata,
  minInSync: ReadonlyMap<string, number>,
): RestartCheck {
  const bad = partitions.filter(({ topic, replicas, inSync }) => {
    const others = inSync.filter((id) => id !== broker).length;
    // A topic that was created since the minimum was read counts as one that needs all its replicas.
    return replicas.includes(broker) && others < (minInSync.get(topic) ?? replicas.length);
  });
  if (bad.length === 0) return { safe: true, reason: "" };
  const [first] = bad;
  const rest = bad.length === 1 ? "" : ` and ${bad.length - 1} more`;
  return {
    safe: false,
    reason: `partition ${first?.topic}-${first?.index}${rest} would fall below the minimum of in-sync replicas`,
  };
}

/** Returns the partitions that have a replica on a broker. */
export function partitionsOf(broker: number, { partitions }: Metadata): readonly Partition[] {
  return partitions.filter(({ replicas }) => replicas.includes(broker));
}

/**
 * Returns the moves that empty a broker: each of its replicas goes to the live broker with the fewest replicas that has none of the partition.
 *
 * Partitions that are moving away already, and partitions that have a replica on every other live broker, are left out. The latter make the
 * drain wait: with fewer replicas than the topic asks for, the loss of a broker could lose records.
 */
export function drainMoves(
  broker: number,
  metadata: Metadata,
  ongoing: readonly OngoingReassignment[],
): readonly Reassignment[] {
  const load = new Map(metadata.brokers.filter((id) => id !== broker).map((id) => [id, 0]));
  for (const { replicas } of metadata.partitions)
    for (const id of replicas) if (load.has(id)) load.set(id, (load.get(id) ?? 0) + 1);
  const isMoving = ({ topic, index }: Partition): boolean =>
    ongoing.some((one) => one.topic === topic && one.index === index);
  return partitionsOf(broker, metadata).flatMap((partition) => {
    const { topic, index, replicas } = partition;
    const [target] = [...load].filter(([id]) => !replicas.includes(id)).toSorted(([a, x], [b, y]) => x - y || a - b);
    if (isMoving(partition) || target === undefined) return [];
    load.set(target[0], target[1] + 1);
    return [{ topic, index, replicas: replicas.map((id) => (id === broker ? target[0] : id)) }];
  });
}

/** Returns the cancellations of the moves that empty a broker. */
export function drainCancellations(broker: number, ongoing: readonly OngoingReassignment[]): readonly Reassignment[] {
  return ongoing
    .filter(({ removing }) => removing.includes(broker))
    .map(({ topic, index }) => ({ topic, index, replicas: null }));
}
