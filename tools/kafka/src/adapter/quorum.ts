import { errorCodes, type Outcome, type QuorumDescription } from "../protocol/messages.ts";

/** The response to `GET /quorum` of the component contract. */
export interface QuorumView {
  readonly nodeId: number;
  readonly incarnation: string;
  readonly leaderId: number | undefined;
  readonly term: number;
  readonly voters: readonly { readonly id: number; readonly incarnation: string; readonly caughtUp: boolean }[];
}

/** A voter that has not been at the end of the log for this time is not caught up. Idle followers fetch twice per second. */
const caughtUpLimitMs = 3_000;

/** Returns the quorum as the leader describes it, in the form of the contract. */
export function quorumView(
  { nodeId, incarnation }: Pick<QuorumView, "nodeId" | "incarnation">,
  { leaderId, leaderEpoch, voters }: QuorumDescription,
): QuorumView {
  // The leader is always caught up, so its time is the present time of its clock.
  const nowMs =
    voters.find(({ id }) => id === leaderId)?.lastCaughtUpMs ?? Math.max(...voters.map((one) => one.lastCaughtUpMs));
  return {
    nodeId,
    incarnation,
    leaderId: voters.some(({ id }) => id === leaderId) ? leaderId : undefined,
    term: leaderEpoch,
    voters: voters.map(({ id, directoryId, lastCaughtUpMs }) => ({
      id,
      incarnation: directoryId,
      caughtUp: id === leaderId || nowMs - lastCaughtUpMs <= caughtUpLimitMs,
    })),
  };
}

/** Reports whether a member votes: the leader lists it with its present incarnation, and it is caught up. */
export function isVoting({ nodeId, incarnation, leaderId, voters }: QuorumView): boolean {
  const own = voters.find(({ id }) => id === nodeId);
  return leaderId !== undefined && own?.incarnation === incarnation && own.caughtUp;
}

/** Returns the HTTP status of a change of the voters. */
export function changeStatus(change: "add" | "remove", { errorCode }: Outcome): 200 | 202 | 409 | 422 | 503 {
  switch (errorCode) {
    case errorCodes.none:
      return 200;
    case errorCodes.requestTimedOut:
      return 202;
    case errorCodes.notLeaderOrFollower:
    case errorCodes.notController:
      return 409;
    case errorCodes.voterNotFound:
      return change === "remove" ? 200 : 422;
    case errorCodes.duplicateVoter:
      return 422;
    default:
      return 503;
  }
}
