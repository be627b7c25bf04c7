// The status of a LocalWorkload.

import { formatTime } from "@homeostat/core";
import type { StatusPlan } from "@homeostat/runtime";
import type { CachedLocalWorkload, LocalWorkload, LocalWorkloadReason } from "../api/local-workload.ts";
import type { ConnectionDecision } from "../decide/connection.ts";

/** A reason why a LocalWorkload cannot be used, regardless of the state of its machine. */
export interface LocalProblem {
  readonly reason: "InvalidSpec" | "PolicyDenied" | "SandboxMissing" | "ServiceUnknown" | "PortUnknown";
  readonly message: string;
}

/** Input of {@link localWorkloadStatus}. */
export interface LocalWorkloadStatusInput {
  readonly workload: CachedLocalWorkload;
  readonly routingKey: string | undefined;
  readonly createdBy: string | undefined;
  readonly connection: ConnectionDecision;
  readonly problem: LocalProblem | undefined;
  /** Address and authorities of the tunnel server. */
  readonly tunnel: { readonly url?: string; readonly caSha256?: string };
  /** Name of the Service that routes to the machine; undefined while there is none. */
  readonly service: string | undefined;
  /** Listening ports of the tunnel server by name of the port. */
  readonly listenPorts: ReadonlyMap<string, number>;
  /** Routes to the machine. */
  readonly routes: LocalRoutes;
}

/** The routes to the machine of a LocalWorkload. */
export interface LocalRoutes {
  readonly isProgrammed: boolean;
  readonly reason: LocalWorkloadReason<"RoutesProgrammed">;
  readonly message: string;
}

type Conditions = NonNullable<StatusPlan<LocalWorkload>["conditions"]>;

/** Returns the status of a LocalWorkload. The tunnel server reports `status.connection` and, while a machine is attached, its local port. */
export function localWorkloadStatus(input: LocalWorkloadStatusInput): StatusPlan<LocalWorkload> {
  const { workload, connection, problem } = input;
  const { timeout } = workload.spec.connection;
  return {
    fields: {
      phase: connection.phase,
      observedGeneration: workload.metadata.generation ?? 0,
      routingKey: input.routingKey,
      createdBy: input.createdBy,
      tunnel: input.tunnel,
      service: input.service,
      ports: workload.spec.service.ports.map(({ name, containerPort }) => {
        const listenPort = input.listenPorts.get(name);
        return { name, containerPort, ...(listenPort === undefined ? {} : { listenPort }) };
      }),
      message:
        connection.phase === "Failed"
          ? `No machine was attached for ${timeout} seconds; attach one, or delete the LocalWorkload`
          : undefined,
    },
    conditions: {
      Ready: ready(input),
      TunnelConnected: tunnelConnected(input),
      LocalTargetReady: targetReady(input),
      RoutesProgrammed: routesProgrammed(input),
      Degraded:
        problem?.reason === "PortUnknown"
          ? { status: true, reason: "PortUnknown", message: problem.message }
          : { status: false, reason: "AsExpected", message: "Nothing limits this LocalWorkload" },
    },
  };
}

const disconnectTexts: Readonly<Record<NonNullable<ConnectionDecision["reason"]>, string>> = {
  WaitingForClient: "No machine has attached yet",
  ClientLeft: "The client has disconnected",
  HeartbeatLost: "The machine stopped responding",
  ServerDraining: "The tunnel server is stopping; the client connects to another replica",
  AccessRevoked: "The user may no longer change this LocalWorkload",
  Replaced: "Another connection has replaced it",
  Refused: "The tunnel server refused the machine",
};

function tunnelConnected({ connection }: LocalWorkloadStatusInput): Conditions["TunnelConnected"] {
  const { reason, failsAt } = connection;
  if (reason === undefined) return { status: true, reason: "Connected", message: "A machine is attached" };
  const until = failsAt === undefined ? "" : `; the phase becomes Failed at ${formatTime(failsAt)} if none attaches`;
  return { status: false, reason, message: `${disconnectTexts[reason]}${until}` };
}

const targetUnknown = {
  status: "Unknown",
  reason: "Unknown",
  message: "No machine is attached to report its local port",
} as const;

/** Returns the state of the local ports as the machine reports it through the tunnel server. */
function targetReady({ workload, connection }: LocalWorkloadStatusInput) {
  if (!connection.isConnected) return targetUnknown;
  const { localTarget, localMessage } = workload.status?.connection ?? {};
  if (localTarget === "Listening")
    return { status: true, reason: "Listening", message: "The local process accepts connections" } as const;
  if (localTarget === undefined)
    return {
      status: "Unknown",
      reason: "Unknown",
      message: "The machine has not reported its local port yet",
    } as const;
  const message = localMessage ?? "A local port does not accept connections";
  return { status: false, reason: localTarget, message: `${message}; start the local process` } as const;
}

/** Routes are kept while a machine is disconnected for a short time, so requests wait or fail with a clear reason. */
function routesProgrammed({ connection: { phase }, routes }: LocalWorkloadStatusInput) {
  if (phase === "Pending") {
    const message = "Routes are published once a machine attaches";
    return { status: false, reason: "NoRoutes", message } as const;
  }
  if (phase === "Failed") {
    const message = "Routes are withdrawn until a machine attaches";
    return { status: false, reason: "Withdrawn", message } as const;
  }
  return { status: routes.isProgrammed, reason: routes.reason, message: routes.message };
}

function ready(input: LocalWorkloadStatusInput): Conditions["Ready"] {
  const { workload, connection, problem } = input;
  const not = (reason: LocalWorkloadReason<"Ready">, message: string) => ({ status: false, reason, message });
  if (problem !== undefined) return not(problem.reason, problem.message);
  if (connection.phase === "Failed") {
    return not("ConnectionTimeout", `No machine was attached for ${workload.spec.connection.timeout} seconds`);
  }
  if (connection.reason !== undefined) return not("NotConnected", disconnectTexts[connection.reason]);
  const target = targetReady(input);
  if (target.status !== true) return not("LocalTargetNotReady", target.message);
  const routes = routesProgrammed(input);
  if (!routes.status) return not("RoutesNotProgrammed", routes.message);
  return { status: true, reason: "WorkloadReady", message: "The machine serves requests of the sandbox" };
}
