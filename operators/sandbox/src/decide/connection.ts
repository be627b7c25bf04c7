// The phase of a LocalWorkload, from what the tunnel server reports about its machine.
//
//   Pending ──machine attaches──▶ Connected ──connection lost──▶ Disconnected
//      │                              ▲                              │
//      └──no machine in time──▶ Failed └──────machine is back────────┤
//                                 ▲                                  │
//                                 └──────────away for too long───────┘

import { type DisconnectReason, disconnectReasons, type LocalWorkloadPhase } from "../api/local-workload.ts";

/** Input of {@link decideConnection}. Times in milliseconds since the epoch. */
export interface ConnectionInput {
  readonly createdAt: number;
  /** Time of the last attachment; undefined if no machine was attached yet. */
  readonly connectedAt: number | undefined;
  /** Time at which the last connection ended; undefined while it lasts. */
  readonly disconnectedAt: number | undefined;
  /** Reason for the end of the last connection, as the tunnel server reports it. */
  readonly reason: string | undefined;
  /** Time of the last sign of life, which the tunnel server refreshes once per minute; undefined if it is not known. */
  readonly lastHeartbeat?: number | undefined;
  readonly timeoutMs: number;
  readonly now: number;
}

/** The state of the connection of a LocalWorkload. */
export interface ConnectionDecision {
  readonly phase: LocalWorkloadPhase;
  readonly isConnected: boolean;
  /** Reason for which no machine is attached; undefined while one is. */
  readonly reason: DisconnectReason | undefined;
  /** Time at which the phase becomes Failed; undefined if it is, and while a machine is attached. */
  readonly failsAt: number | undefined;
  /** Time at which a connection without a sign of life counts as lost; undefined if none is attached. */
  readonly lostAt?: number | undefined;
}

/**
 * A connection whose replica has not refreshed its heartbeat for this long is lost: the replica crashed and the machine did not come back. Replicas that live
 * report the end of a connection within 30 s.
 */
export const heartbeatLostMs = 180_000;

/** Decides the phase of a LocalWorkload. */
export function decideConnection(input: ConnectionInput): ConnectionDecision {
  const { createdAt, connectedAt, timeoutMs, now, lastHeartbeat } = input;
  const lostAt = lastHeartbeat === undefined ? undefined : lastHeartbeat + heartbeatLostMs;
  const isLost = input.disconnectedAt === undefined && lostAt !== undefined && now >= lostAt;
  const disconnectedAt = isLost ? lastHeartbeat : input.disconnectedAt;
  if (connectedAt !== undefined && disconnectedAt === undefined) {
    const connected = { phase: "Connected", isConnected: true, reason: undefined, failsAt: undefined } as const;
    return lostAt === undefined ? connected : { ...connected, lostAt };
  }
  const reason = connectedAt === undefined ? "WaitingForClient" : reasonOf(isLost ? "HeartbeatLost" : input.reason);
  const failsAt = (disconnectedAt ?? createdAt) + timeoutMs;
  if (now >= failsAt) return { phase: "Failed", isConnected: false, reason, failsAt: undefined };
  const phase = connectedAt === undefined ? "Pending" : "Disconnected";
  return { phase, isConnected: false, reason, failsAt };
}

function reasonOf(text: string | undefined): DisconnectReason {
  return disconnectReasons.find((each) => each === text) ?? "HeartbeatLost";
}
