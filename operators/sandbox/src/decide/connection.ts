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
}

/** Decides the phase of a LocalWorkload. */
export function decideConnection(input: ConnectionInput): ConnectionDecision {
  const { createdAt, connectedAt, disconnectedAt, timeoutMs, now } = input;
  if (connectedAt !== undefined && disconnectedAt === undefined) {
    return { phase: "Connected", isConnected: true, reason: undefined, failsAt: undefined };
  }
  const reason = connectedAt === undefined ? "WaitingForClient" : reasonOf(input.reason);
  const failsAt = (disconnectedAt ?? createdAt) + timeoutMs;
  if (now >= failsAt) return { phase: "Failed", isConnected: false, reason, failsAt: undefined };
  const phase = connectedAt === undefined ? "Pending" : "Disconnected";
  return { phase, isConnected: false, reason, failsAt };
}

function reasonOf(text: string | undefined): DisconnectReason {
  return disconnectReasons.find((each) => each === text) ?? "HeartbeatLost";
}
