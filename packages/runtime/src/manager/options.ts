import { hostname } from "node:os";
import type { Connection, Transport } from "@homeostat/client";
import {
  ArgumentError,
  type Clock,
  cutText,
  dnsSubdomainProblems,
  qualifiedNameProblems,
  type Random,
  systemClock,
  systemRandom,
} from "@homeostat/core";
import type { CacheOptions } from "../cache/cache.ts";
import type { ControllerParts } from "../controller/controller-unit.ts";
import type { Controller } from "../controller/definition.ts";
import { electionIdentity, type ElectionOptions } from "../election/options.ts";
import type { HttpAddress } from "../http/http-server.ts";
import type { Logger } from "../log/logger.ts";
import { textLogger } from "../log/text-logger.ts";
import { Registry } from "../metrics/registry.ts";
import type { MissingKind } from "../preflight/need.ts";
import { silentTracing, type Tracing } from "../tracing/tracing.ts";
import type { ManagerClientOptions } from "./clients.ts";
import type { ServiceDefinition, ServiceTools } from "./service.ts";

/** How a manager takes part in the election of a leader. Durations are those of `elect`. */
export interface LeaderElectionOptions extends Pick<
  ElectionOptions,
  "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs" | "requestTimeoutMs" | "trustMissing"
> {
  /** The name of the Lease. Default: that of the manager. */
  readonly name?: string;
  /** The namespace of the Lease. Default: that of the program. */
  readonly namespace?: string;
  /** The name of this process, which no other has. Default: that of the pod or host, and a random part. */
  readonly identity?: string;
}

/** Where pages are served, and which. */
export interface ManagerHttpOptions extends HttpAddress {
  /** Where metrics are served when not here: another address, or nowhere. Default: here. */
  readonly metrics?: HttpAddress | false;
  /** Whether `/debug/profile` takes CPU profiles. Default: false. */
  readonly profiling?: boolean;
  /** Who may see `/why` and profiles: who is on the same machine (or port-forwards), or everybody. Default: `local`. */
  readonly details?: "local" | "everybody";
}

/** How a manager asks what it may do. */
export interface ManagerPreflightOptions {
  /** How soon to ask again for what is degraded; twice as late each time. Default: 2,000. */
  readonly recheckMs?: number;
  /** Never later than this. Default: 300,000. */
  readonly recheckMsMax?: number;
  /** Returns the command that installs a kind which the API server does not serve, for logs and events. Default: none is known. */
  readonly installCommand?: (kind: MissingKind) => string | undefined;
}

/** Options of `createManager`. */
export interface ManagerOptions {
  /** Names the program in logs, metrics, events and the Lease: a DNS name. */
  readonly name: string;
  /** The version of the program, for metrics. Default: `unknown`. */
  readonly version?: string;
  /** How to reach the API server: `await loadConnection()`; or a transport that somebody else closes. */
  readonly connection: Connection | Transport;
  readonly client?: ManagerClientOptions;
  /**
   * Called once with what only this manager can give, before its controllers and services are made. For what reconcilers need at
   * run time: clients of another API, metrics.
   */
  setup?(this: void, tools: ServiceTools): void;
  readonly controllers?: readonly Controller[];
  readonly services?: readonly ServiceDefinition[];
  /** Whether, and how, only one process of several works. Default: false, which is for a single process. */
  readonly leaderElection?: LeaderElectionOptions | false;
  /** Default: nothing is served. */
  readonly http?: ManagerHttpOptions | false;
  /** How rights and kinds are asked about before anything is started; false for not at all. */
  readonly preflight?: ManagerPreflightOptions | false;
  /** How long running reconciles may take to end when the program stops. Default: 10,000. */
  readonly graceMs?: number;
  /**
   * How long services that run always go on at least after the program has said that it is no longer ready, so that whoever
   * calls them can learn of it: 3,000 is right for webhooks in a cluster. Default: 0.
   */
  readonly drainMs?: number;
  /** The namespace that the program itself lives in. Default: `POD_NAMESPACE`, or that of the connection. */
  readonly namespace?: string;
  /** The flag or variable that sets `namespace`, for messages: `--namespace`. Default: `POD_NAMESPACE`. */
  readonly namespaceSetting?: string;
  /** How the cache lists and watches. */
  readonly cache?: Pick<CacheOptions, "reflector" | "memo">;
  /** When writes of a reconciler count as a loop. */
  readonly hotLoops?: ControllerParts["hotLoops"];
  /** Where metrics are kept. Default: one of its own. */
  readonly registry?: Registry;
  /** Default: lines on standard error. */
  readonly log?: Logger;
  readonly tracing?: Tracing;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where `POD_NAME`, `POD_NAMESPACE` and `POD_UID` are looked up. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The pod that a program runs in, as far as it was told. */
export interface OwnPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
}

/** The options of a manager, checked and complete. */
export interface ManagerSettings extends Required<
  Pick<
    ManagerOptions,
    | "name"
    | "version"
    | "connection"
    | "client"
    | "controllers"
    | "services"
    | "graceMs"
    | "drainMs"
    | "registry"
    | "log"
  >
> {
  readonly tracing: Tracing;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly namespaceSetting: string;
  readonly pod: OwnPod | undefined;
  /** The name of this process in events: that of the pod or host. */
  readonly instance: string;
  readonly http: ManagerHttpOptions | undefined;
  readonly preflight: ManagerPreflightOptions | undefined;
  readonly setup: ManagerOptions["setup"] | undefined;
  readonly election:
    | (LeaderElectionOptions & Pick<ElectionOptions, "name" | "namespace" | "identity"> & { readonly leaseMs: number })
    | undefined;
  readonly cache: Pick<CacheOptions, "reflector" | "memo">;
  readonly hotLoops: ControllerParts["hotLoops"];
}

/** Checks what was given and fills in the rest. Throws `ArgumentError`. */
export function settingsOf(options: ManagerOptions): ManagerSettings {
  const { name, connection, graceMs = 10_000, drainMs = 0, env = process.env, random = systemRandom } = options;
  checkName(name);
  for (const [argument, ms] of Object.entries({ graceMs, drainMs })) {
    if (!(ms >= 0 && ms <= 3_600_000))
      throw new ArgumentError({ argument, problem: `is ${ms}; it must be from 0 to 3,600,000.` });
  }
  const told = "send" in connection ? undefined : connection.namespace;
  const namespace = options.namespace ?? (env["POD_NAMESPACE"] || told || "");
  const podName = env["POD_NAME"] || undefined;
  const instance = cutText(podName ?? hostname(), 100);
  return {
    name,
    version: options.version ?? "unknown",
    connection,
    client: { userAgent: name, ...options.client },
    setup: options.setup,
    controllers: options.controllers ?? [],
    services: options.services ?? [],
    graceMs,
    drainMs,
    registry: options.registry ?? new Registry(),
    log: options.log ?? textLogger(),
    tracing: options.tracing ?? silentTracing,
    clock: options.clock ?? systemClock,
    random,
    namespace,
    namespaceSetting: options.namespaceSetting ?? "POD_NAMESPACE",
    pod: podName === undefined || namespace === "" ? undefined : { name: podName, namespace, uid: env["POD_UID"] },
    instance,
    http: options.http === false ? undefined : options.http,
    preflight: options.preflight === false ? undefined : (options.preflight ?? {}),
    election: electionOf(options.leaderElection ?? false, { name, namespace, instance, random }),
    cache: options.cache ?? {},
    hotLoops: options.hotLoops,
  };
}

function electionOf(
  options: LeaderElectionOptions | false,
  program: { name: string; namespace: string; instance: string; random: Random },
): ManagerSettings["election"] {
  if (options === false) return undefined;
  const namespace = options.namespace ?? program.namespace;
  if (namespace === "") {
    throw new ArgumentError({
      argument: "leaderElection.namespace",
      problem: "is not known; say in which namespace the Lease is to be, or set POD_NAMESPACE.",
    });
  }
  return {
    ...options,
    name: options.name ?? program.name,
    namespace,
    identity: options.identity ?? electionIdentity(program.instance, program.random),
    leaseMs: options.leaseDurationMs ?? 15_000,
  };
}

function checkName(name: string): void {
  const [problem] = [...dnsSubdomainProblems(name), ...qualifiedNameProblems(name)];
  if (problem !== undefined) throw new ArgumentError({ argument: "name", problem });
}
