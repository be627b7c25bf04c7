// Changes of the status of a LocalWorkload when machines attach and leave. The object is the lock: a replica writes a change with the resource version that
// it was computed from, so two machines that attach to two replicas at the same moment cannot both be the only one.

import { formatTime, parseTime, withoutUndefined } from "@homeostat/core";
import type { ConnectionMode, MachineStatus } from "@homeostat/sandbox-operator";

/** The part of a status that the tunnel server writes. */
export interface TunnelStatus {
  readonly connection?: Readonly<MachineStatus> | undefined;
  readonly machines?: readonly Readonly<MachineStatus>[] | undefined;
}

/** A machine that attaches. */
export interface NewMachine {
  readonly machine: string;
  readonly host: string;
  readonly user: string;
  readonly clientVersion: string;
  readonly replica: string;
  readonly address: string;
  /** Id of a tunnel to continue; empty for a new one. */
  readonly resume: string;
  /** Id to use for a new tunnel. */
  readonly newTunnelId: string;
}

/** A connection without a sign of life for this long belongs to a replica that crashed. Live replicas refresh it once per minute. */
export const staleMs = 150_000;

/** Result of {@link attachMachine}. */
export type AttachResult =
  | { readonly isBusy: true; readonly by: Readonly<MachineStatus> }
  | {
      readonly isBusy: false;
      readonly status: TunnelStatus;
      readonly entry: Readonly<MachineStatus>;
      readonly isActive: boolean;
    };

/** Reports whether a machine of a status is attached. */
export function isAttached(machine: Readonly<MachineStatus> | undefined, now: number): boolean {
  if (machine?.connectedAt === undefined || machine.disconnectedAt !== undefined) return false;
  return machine.lastHeartbeat === undefined || now - parseTime(machine.lastHeartbeat) < staleMs;
}

/** Adds a machine. The same machine replaces its earlier connection. */
export function attachMachine(
  status: TunnelStatus,
  {
    machine: added,
    mode,
    takeover,
    now,
  }: {
    readonly machine: NewMachine;
    readonly mode: ConnectionMode;
    readonly takeover: boolean;
    readonly now: number;
  },
): AttachResult {
  const { connection } = status;
  const known = machinesOf(status);
  const earlier = known.find(({ machine }) => machine === added.machine);
  const others = known.filter((each) => each.machine !== added.machine && isAttached(each, now));
  const [other] = others;
  if (mode === "Exclusive" && other !== undefined && !takeover) return { isBusy: true, by: other };
  const time = formatTime(now);
  const epoch = Math.max(0, ...known.map((each) => each.epoch ?? 0)) + 1;
  const isResumed = added.resume !== "" && earlier?.tunnelId === added.resume;
  const { machine, host, user, clientVersion, replica, address } = added;
  const entry: MachineStatus = {
    tunnelId: isResumed ? added.resume : added.newTunnelId,
    epoch,
    machine,
    host,
    user,
    clientVersion,
    replica,
    address,
    connectedAt: time,
    lastHeartbeat: time,
  };
  if (mode === "Exclusive") return { isBusy: false, status: { connection: entry }, entry, isActive: true };
  const machines = [...others, entry];
  const keeps = connection !== undefined && others.some((each) => each.machine === connection.machine);
  const active = keeps ? (others.find((each) => each.machine === connection.machine) ?? entry) : entry;
  return {
    isBusy: false,
    status: { connection: active, machines },
    entry,
    isActive: mode === "Pool" || active === entry,
  };
}

/** Removes the connection of a machine. Returns undefined if a later connection has replaced it. */
export function detachMachine(
  status: TunnelStatus,
  {
    machine,
    epoch,
    reason,
    mode,
    now,
  }: {
    readonly machine: string;
    readonly epoch: number;
    readonly reason: string;
    readonly mode: ConnectionMode;
    readonly now: number;
  },
): TunnelStatus | undefined {
  const isOwn = (each: Readonly<MachineStatus> | undefined): boolean =>
    each?.machine === machine && each.epoch === epoch;
  const { connection } = status;
  const gone = { disconnectedAt: formatTime(now), reason };
  if (mode === "Exclusive") {
    if (connection === undefined || !isOwn(connection) || connection.disconnectedAt !== undefined) return undefined;
    return { connection: { ...connection, ...gone } };
  }
  const machines = machinesOf(status).filter((each) => !isOwn(each) && isAttached(each, now));
  if (!machinesOf(status).some(isOwn)) return undefined;
  if (!isOwn(connection)) return { connection, machines };
  // The machine that waits longest becomes active.
  const [next] = machines.toSorted((a, b) => (a.epoch ?? 0) - (b.epoch ?? 0));
  return next === undefined ? { connection: { ...connection, ...gone }, machines: [] } : { connection: next, machines };
}

/** Changes fields of the connection of a machine; undefined removes one. Returns undefined if a later connection has replaced it. */
export function updateMachine(
  status: TunnelStatus,
  { machine, epoch }: { readonly machine: string; readonly epoch: number },
  change: {
    readonly [K in "lastHeartbeat" | "rttMillis" | "localTarget" | "localMessage"]?: MachineStatus[K] | undefined;
  },
): TunnelStatus | undefined {
  const isOwn = (each: Readonly<MachineStatus> | undefined): boolean =>
    each?.machine === machine && each.epoch === epoch && each.disconnectedAt === undefined;
  const update = (each: Readonly<MachineStatus>): Readonly<MachineStatus> =>
    isOwn(each) ? withoutUndefined({ ...each, ...change }) : each;
  if (!machinesOf(status).some(isOwn)) return undefined;
  const { connection, machines } = status;
  return { connection: connection === undefined ? undefined : update(connection), machines: machines?.map(update) };
}

/** Makes a standby the active machine if the active one shows no sign of life: its replica crashed. Returns undefined if it does, and for other machines. */
export function promoteMachine(
  status: TunnelStatus,
  { machine, epoch, now }: { readonly machine: string; readonly epoch: number; readonly now: number },
): TunnelStatus | undefined {
  const own = status.machines?.find((each) => each.machine === machine && each.epoch === epoch);
  if (own === undefined || isAttached(status.connection, now)) return undefined;
  return { connection: own, machines: status.machines?.filter((each) => each === own || isAttached(each, now)) };
}

/** Returns all machines of a status: the list, or the only one. */
export function machinesOf({ connection, machines }: TunnelStatus): readonly Readonly<MachineStatus>[] {
  if (machines !== undefined && machines.length > 0) return machines;
  return connection === undefined ? [] : [connection];
}

/** Reports whether a later connection of the machine, or in the mode Exclusive of any machine, has replaced one. */
export function isReplaced(
  status: TunnelStatus,
  { machine, epoch, mode }: { readonly machine: string; readonly epoch: number; readonly mode: ConnectionMode },
): boolean {
  return machinesOf(status).some(
    (each) => (each.epoch ?? 0) > epoch && (mode === "Exclusive" || each.machine === machine),
  );
}
