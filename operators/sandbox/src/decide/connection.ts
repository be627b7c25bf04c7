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
  /** Time at which the last connection ended; undefined while a machine is attached. */
  readonly disconnectedAt: number | undefined;
  /** Reason for the end of the last connection, as the tunnel server reports it. */
  readonly reason: string | undefined;
  /** Time of the last heartbeat, which the tunnel server refreshes once per minute; undefined if it is not known. */
  readonly lastHeartbeat?: number | undefined;
  readonly timeoutMs: number;
  readonly now: number;
}

/** The state of the connection of a LocalWorkload. */
export interface ConnectionDecision {
  readonly phase: LocalWorkloadPhase;
  readonly isConnected: boolean;
  /** Reason why no machine is attached; undefined while one is attached. */
  readonly reason: DisconnectReason | undefined;
  /** Time at which the phase becomes Failed; undefined while a machine is attached and once the phase is Failed. */
  readonly failsAt: number | undefined;
  /** Time at which a connection without a heartbeat counts as lost; undefined while no machine is attached. */
  readonly lostAt?: number | undefined;
}

/**
 * A connection counts as lost if its replica has not refreshed the heartbeat for this long. That happens only if the replica has crashed and the
 * machine has not reconnected: a running replica reports the end of a connection within 30 s.
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
