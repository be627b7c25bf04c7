// The requests that the adapter needs. The Kafka sources document the layout of each version in clients/src/main/resources/common/message.
// Only flexible versions are used.

import { type WireReader, WireWriter } from "./wire.ts";

/** A request and the function that reads its response. */
export interface KafkaRequest<Response> {
  readonly apiKey: number;
  readonly version: number;
  readonly body: Buffer;
  readonly read: (reader: WireReader) => Response;
}

/** Error codes that the adapter distinguishes. */
export const errorCodes = {
  none: 0,
  notLeaderOrFollower: 6,
  requestTimedOut: 7,
  notController: 41,
  noReassignmentInProgress: 85,
  brokerIdNotRegistered: 102,
  duplicateVoter: 126,
  voterNotFound: 127,
} as const;

/** A response that only reports success or failure. */
export interface Outcome {
  readonly errorCode: number;
  readonly message: string;
}

/** A voter as the leader of the quorum sees it. Times are those of the leader's clock. */
export interface QuorumReplica {
  readonly id: number;
  readonly directoryId: string;
  readonly lastCaughtUpMs: number;
}

/** The quorum as its leader describes it. Other controllers respond with `notLeaderOrFollower`. */
export interface QuorumDescription {
  readonly errorCode: number;
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly voters: readonly QuorumReplica[];
}

/** Builds the request for the voters. Only the leader responds with them. */
export function describeQuorum(): KafkaRequest<QuorumDescription> {
  const body = new WireWriter()
    .list(["__cluster_metadata"], (topic, name) => {
      topic
        .string(name)
        .list([0], (partition, index) => partition.int32(index).end())
        .end();
    })
    .end()
    .bytes();
  return { apiKey: 55, version: 2, body, read: readQuorum };
}

function readQuorum(reader: WireReader): QuorumDescription {
  const errorCode = reader.int16();
  reader.string();
  const topics = reader.list((topic) => {
    topic.string();
    const partitions = topic.list((partition) => {
      partition.int32();
      const partitionError = partition.int16();
      partition.string();
      const leaderId = partition.int32();
      const leaderEpoch = partition.int32();
      partition.int64();
      const voters = partition.list(readReplica);
      partition.list(readReplica);
      partition.end();
      return { errorCode: partitionError, leaderId, leaderEpoch, voters };
    });
    topic.end();
    return partitions;
  });
  const found = topics[0]?.[0] ?? { errorCode, leaderId: -1, leaderEpoch: -1, voters: [] };
  return errorCode === errorCodes.none ? found : { ...found, errorCode };
}

function readReplica(reader: WireReader): QuorumReplica {
  const id = reader.int32();
  const directoryId = reader.uuid();
  reader.int64();
  reader.int64();
  const lastCaughtUpMs = reader.int64();
  reader.end();
  return { id, directoryId, lastCaughtUpMs };
}

/** Builds the request that adds a voter. */
export function addVoter({
  clusterId,
  id,
  directoryId,
  listener,
  timeoutMs,
}: {
  readonly clusterId: string;
  readonly id: number;
  readonly directoryId: string;
  readonly listener: { readonly name: string; readonly host: string; readonly port: number };
  readonly timeoutMs: number;
}): KafkaRequest<Outcome> {
  const body = new WireWriter()
    .string(clusterId)
    .int32(timeoutMs)
    .int32(id)
    .uuid(directoryId)
    .list([listener], (writer, { name, host, port }) => writer.string(name).string(host).uint16(port).end())
    .end()
    .bytes();
  return { apiKey: 80, version: 0, body, read: readOutcome };
}

/** Builds the request that removes a voter. */
export function removeVoter({
  clusterId,
  id,
  directoryId,
}: {
  readonly clusterId: string;
  readonly id: number;
  readonly directoryId: string;
}): KafkaRequest<Outcome> {
  const body = new WireWriter().string(clusterId).int32(id).uuid(directoryId).end().bytes();
  return { apiKey: 81, version: 0, body, read: readOutcome };
}

/** Builds the request that removes the registration of a broker that has stopped for good. */
export function unregisterBroker(id: number): KafkaRequest<Outcome> {
  return { apiKey: 64, version: 0, body: new WireWriter().int32(id).end().bytes(), read: readOutcome };
}

function readOutcome(reader: WireReader): Outcome {
  reader.int32();
  return { errorCode: reader.int16(), message: reader.string() ?? "" };
}

/** The members that a controller or a broker knows. */
export interface ClusterDescription {
  readonly errorCode: number;
  /** Of controllers: the leader of the quorum. -1 if it is not known. */
  readonly controllerId: number;
  readonly nodes: readonly { readonly id: number; readonly host: string; readonly port: number }[];
}

/** Builds the request for the controllers, which controllers answer, or for the live brokers, which brokers answer. */
export function describeCluster(endpoints: "brokers" | "controllers"): KafkaRequest<ClusterDescription> {
  const body = new WireWriter()
    .boolean(false)
    .int8(endpoints === "brokers" ? 1 : 2)
    .end()
    .bytes();
  return {
    apiKey: 60,
    version: 1,
    body,
    read: (reader) => {
      reader.int32();
      const errorCode = reader.int16();
      reader.string();
      reader.int8();
      reader.string();
      const controllerId = reader.int32();
      const nodes = reader.list((node) => {
        const id = node.int32();
        const host = node.string() ?? "";
        const port = node.int32();
        node.string();
        node.end();
        return { id, host, port };
      });
      return { errorCode, controllerId, nodes };
    },
  };
}

/** A partition with its replicas. During a reassignment, the replicas are those before and those after it. */
export interface Partition {
  readonly topic: string;
  readonly index: number;
  readonly leader: number;
  readonly replicas: readonly number[];
  readonly inSync: readonly number[];
}

/** Brokers and partitions as a broker knows them. */
export interface Metadata {
  readonly brokers: readonly number[];
  readonly partitions: readonly Partition[];
}

/** Builds the request for all topics. */
export function metadata(): KafkaRequest<Metadata> {
  const body = new WireWriter()
    .list(null, () => undefined)
    .boolean(false)
    .boolean(false)
    .end()
    .bytes();
  return { apiKey: 3, version: 12, body, read: readMetadata };
}

function readMetadata(reader: WireReader): Metadata {
  reader.int32();
  const brokers = reader.list((broker) => {
    const id = broker.int32();
    broker.string();
    broker.int32();
    broker.string();
    broker.end();
    return id;
  });
  reader.string();
  reader.int32();
  const topics = reader.list((entry) => {
    entry.int16();
    const topic = entry.string() ?? "";
    entry.uuid();
    entry.boolean();
    const partitions = entry.list((partition): Partition => {
      partition.int16();
      const index = partition.int32();
      const leader = partition.int32();
      partition.int32();
      const replicas = partition.list((one) => one.int32());
      const inSync = partition.list((one) => one.int32());
      partition.list((one) => one.int32());
      partition.end();
      return { topic, index, leader, replicas, inSync };
    });
    entry.int32();
    entry.end();
    return partitions;
  });
  return { brokers, partitions: topics.flat() };
}

/** Builds the request for the minimum of in-sync replicas of topics. The response has the value by topic. */
export function minInSyncReplicas(topics: readonly string[]): KafkaRequest<ReadonlyMap<string, number>> {
  const topicType = 2;
  const body = new WireWriter()
    .list(topics, (writer, topic) => {
      writer
        .int8(topicType)
        .string(topic)
        .list(["min.insync.replicas"], (key, name) => key.string(name))
        .end();
    })
    .boolean(false)
    .boolean(false)
    .end()
    .bytes();
  return { apiKey: 32, version: 4, body, read: readMinInSync };
}

function readMinInSync(reader: WireReader): ReadonlyMap<string, number> {
  reader.int32();
  const results = reader.list((result) => {
    result.int16();
    result.string();
    result.int8();
    const topic = result.string() ?? "";
    const values = result.list((config) => {
      config.string();
      const value = config.string();
      config.boolean();
      config.int8();
      config.boolean();
      config.list((synonym) => {
        synonym.string();
        synonym.string();
        synonym.int8();
        synonym.end();
      });
      config.int8();
      config.string();
      config.end();
      return value;
    });
    result.end();
    return [topic, Number(values[0] ?? Number.NaN)] as const;
  });
  return new Map(results.filter(([, value]) => Number.isSafeInteger(value)));
}

/** The new replicas of a partition; null cancels a reassignment. */
export interface Reassignment {
  readonly topic: string;
  readonly index: number;
  readonly replicas: readonly number[] | null;
}

/** Builds the request that moves partitions. The response has the first error. */
export function reassign(changes: readonly Reassignment[], timeoutMs: number): KafkaRequest<Outcome> {
  const topics = [...new Set(changes.map(({ topic }) => topic))];
  const body = new WireWriter()
    .int32(timeoutMs)
    .list(topics, (writer, topic) => {
      const own = changes.filter((change) => change.topic === topic);
      writer
        .string(topic)
        .list(own, (partition, { index, replicas }) => {
          partition
            .int32(index)
            .list(replicas, (one, id) => one.int32(id))
            .end();
        })
        .end();
    })
    .end()
    .bytes();
  return { apiKey: 45, version: 0, body, read: readReassigned };
}

function readReassigned(reader: WireReader): Outcome {
  reader.int32();
  const whole = { errorCode: reader.int16(), message: reader.string() ?? "" };
  const single = reader.list((topic) => {
    topic.string();
    const outcomes = topic.list((partition) => {
      partition.int32();
      const outcome = { errorCode: partition.int16(), message: partition.string() ?? "" };
      partition.end();
      return outcome;
    });
    topic.end();
    return outcomes;
  });
  const isError = ({ errorCode }: Outcome): boolean => errorCode !== errorCodes.none;
  return [whole, ...single.flat()].find(isError) ?? whole;
}

/** A partition that is being moved. */
export interface OngoingReassignment {
  readonly topic: string;
  readonly index: number;
  readonly adding: readonly number[];
  readonly removing: readonly number[];
}

/** Builds the request for all partitions that are being moved. */
export function ongoingReassignments(timeoutMs: number): KafkaRequest<readonly OngoingReassignment[]> {
  const body = new WireWriter()
    .int32(timeoutMs)
    .list(null, () => undefined)
    .end()
    .bytes();
  return { apiKey: 46, version: 0, body, read: readOngoing };
}

function readOngoing(reader: WireReader): readonly OngoingReassignment[] {
  reader.int32();
  reader.int16();
  reader.string();
  const topics = reader.list((entry) => {
    const topic = entry.string() ?? "";
    const partitions = entry.list((partition) => {
      const index = partition.int32();
      partition.list((one) => one.int32());
      const adding = partition.list((one) => one.int32());
      const removing = partition.list((one) => one.int32());
      partition.end();
      return { topic, index, adding, removing };
    });
    entry.end();
    return partitions;
  });
  return topics.flat();
}
