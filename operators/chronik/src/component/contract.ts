// The HTTP interface that images of Chronik components offer on port 8081, in addition to their probes:
//
//   GET    /quorum            controller   the voters as this member sees them
//   POST   /members/add       leader       adds a voter
//   POST   /members/remove    leader       removes a voter
//   POST   /leader/transfer   leader       moves the leadership to another voter; optional
//   GET    /drain             ingest       progress of moving data away
//   POST   /drain             ingest       starts moving data away
//   DELETE /drain             ingest       cancels it
//   GET    /restart-check     ingest       whether a restart now keeps enough in-sync replicas
//
// A voter is identified by its id and its incarnation, the directory id that a member creates with an empty disk. The id alone is not enough:
// a member that lost its disk comes back with the same id, and the quorum still contains its former incarnation, which never votes again.

/** Port of the component contract and of the probes. */
export const componentPort = 8081;

/** A voter as a member sees it. */
export interface Voter {
  readonly id: number;
  readonly incarnation: string;
  /** True if the voter has replicated the log up to the position that the leader requires. */
  readonly caughtUp: boolean;
}

/** The response to `GET /quorum`. */
export interface QuorumView {
  /** Id of the member that responded. */
  readonly nodeId: number;
  /** Incarnation of the member that responded. */
  readonly incarnation: string;
  /** Undefined while there is no leader. */
  readonly leaderId: number | undefined;
  readonly term: number;
  readonly voters: readonly Voter[];
}

export const drainStates = ["idle", "draining", "drained"] as const;

export type DrainState = (typeof drainStates)[number];

/** The response to requests to `/drain`. */
export interface DrainView {
  readonly state: DrainState;
  /** Number of partitions that are still on the node. */
  readonly partitions: number;
}

/** The response to `GET /restart-check`. */
export interface RestartCheckView {
  /** True if a restart now keeps the minimum of in-sync replicas. */
  readonly safe: boolean;
  /** Reason why a restart is not safe; empty if it is. */
  readonly reason: string;
}

/** The result of a request that changes the voters or the leader. */
export type MemberChange =
  | { readonly type: "done" }
  | { readonly type: "inProgress" }
  /** The member is not the leader. Retry with the leader, if it is known. */
  | { readonly type: "notLeader"; readonly leaderId: number | undefined };

/** The identity of a voter. */
export type VoterIdentity = Pick<Voter, "id" | "incarnation">;

/** A voter to add. */
export interface NewVoter extends VoterIdentity {
  /** Host and port at which other members reach it. */
  readonly address: string;
}

/**
 * The outcome of one call of a component. Components run images of the user, so every response can be wrong.
 *
 * Only `notOffered` means that the image does not implement the endpoint. All other failures leave the state of the component unknown, and
 * a decision that depends on it must assume the worst.
 */
export type ComponentResult<Value> =
  | { readonly type: "response"; readonly value: Value }
  /** Status 404 or 501, or connection refused. */
  | { readonly type: "notOffered" }
  /** No complete response within the deadline. */
  | { readonly type: "timeout" }
  /** No response for another reason, such as a reset connection. */
  | { readonly type: "unreachable"; readonly message: string }
  /** A status that the contract does not define, such as 401 or 500. */
  | { readonly type: "refused"; readonly status: number }
  /** A body that is not of the form of the contract. */
  | { readonly type: "malformed"; readonly message: string }
  /** A well-formed response that cannot be true, such as one in the name of another member. */
  | { readonly type: "contradiction"; readonly message: string };

/** Describes a failed call for messages: `timed out`. Undefined for a response. */
export function describeFailure(result: ComponentResult<unknown>): string | undefined {
  switch (result.type) {
    case "response":
      return undefined;
    case "notOffered":
      return "does not offer the endpoint";
    case "timeout":
      return "did not respond in time";
    case "unreachable":
      return `is unreachable: ${result.message}`;
    case "refused":
      return `responded with status ${result.status}`;
    case "malformed":
      return `sent a malformed response: ${result.message}`;
    case "contradiction":
      return `sent a contradictory response: ${result.message}`;
  }
}
