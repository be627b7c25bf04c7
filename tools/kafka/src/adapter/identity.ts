// Identifiers of a Kafka cluster that all members compute alike, before they have met.

import { createHash } from "node:crypto";

/** Controllers and brokers of Kafka share one space of ids; members of a ChronikCluster are numbered per component. */
const brokerOffset = 1000;

/** Returns the id of a member in Kafka. */
export function kafkaId(role: string, nodeId: number): number {
  return role === "controller" ? nodeId : nodeId + brokerOffset;
}

/** A member of a cluster. */
export interface MemberName {
  readonly namespace: string;
  readonly cluster: string;
  readonly nodeId: number;
}

/** Returns the id of the Kafka cluster. It follows from the name, so that a cluster that is created again accepts its retained volumes. */
export function clusterId({ namespace, cluster }: Omit<MemberName, "nodeId">): string {
  return hashedId(`cluster/${namespace}/${cluster}`);
}

/**
 * Returns the directory id of a founder of the quorum.
 *
 * The founders must know the ids of each other. Only founders use it: a member that lost its disk gets a random id, because a voter that
 * forgot its votes must not come back under the same identity.
 */
export function founderDirectoryId({ namespace, cluster, nodeId }: MemberName): string {
  return hashedId(`directory/${namespace}/${cluster}/${nodeId}`);
}

/** Returns an id of 16 bytes in the form of a random UUID. Kafka reserves low numbers, and its tools take a leading hyphen for an option. */
function hashedId(text: string): string {
  for (let attempt = 0; ; attempt += 1) {
    const bytes = createHash("sha256").update(`${text}/${attempt}`).digest().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const id = bytes.toString("base64url");
    if (!id.startsWith("-")) return id;
  }
}
