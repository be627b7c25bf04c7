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
import type { HotLoopOptions } from "../writes/hot-loops.ts";
import type { Controller } from "../controller/definition.ts";
import { electionIdentity, type ElectionOptions } from "../election/options.ts";
import type { HttpAddress } from "../http/http-server.ts";
import type { Logger } from "../log/logger.ts";
import { textLogger } from "../log/text-logger.ts";
import { Registry } from "../metrics/registry.ts";
import type { MissingKind } from "../preflight/prerequisites.ts";
import { silentTracing, type Tracing } from "../tracing/tracing.ts";
import type { ManagerClientOptions } from "./clients.ts";
import type { ServiceDefinition, ServiceTools } from "./service.ts";

/** Leader election options of a manager. The durations are those of `elect`. */
export interface LeaderElectionOptions extends Pick<
  ElectionOptions,
  "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs" | "requestTimeoutMs" | "trustMissing"
> {
  /** Name of the Lease. Default: the name of the manager. */
  readonly name?: string;
  /** Namespace of the Lease. Default: the namespace of the program. */
  readonly namespace?: string;
  /** Unique identity of this process. Default: the name of the pod or host, and a random part. */
  readonly identity?: string;
}

/** Address and pages of the HTTP server for health probes, metrics and debugging. */
export interface ManagerHttpOptions extends HttpAddress {
  /** Separate address of the metrics page; false to serve no metrics. Default: the same address. */
  readonly metrics?: HttpAddress | false;
  /** True to serve CPU profiles at `/debug/profile`. Default: false. */
  readonly profiling?: boolean;
  /** Clients that may read `/why` and profiles: those on the same machine (or through a port-forward), or all. Default: `local`. */
  readonly details?: "local" | "everybody";
}

/** Options of the check for missing CRDs and permissions. */
export interface ManagerPreflightOptions {
  /** Milliseconds until missing prerequisites are checked again; doubled with each further check. Default: 2,000. */
  readonly recheckMs?: number;
  /** Upper limit of that interval, in milliseconds. Default: 300,000. */
  readonly recheckMsMax?: number;
  /** Returns the command that installs a kind that the API server does not serve, for logs and events. Default: no commands. */
  readonly installCommand?: (kind: MissingKind) => string | undefined;
}

/** Options of `createManager`. */
export interface ManagerOptions {
  /** Name of the program in logs, metrics, events and the Lease: a DNS name. */
  readonly name: string;
  /** Version of the program, for metrics. Default: `unknown`. */
  readonly version?: string;
  /** Connection to the API server, such as `await loadConnection()`; or a transport, which the caller has to close. */
  readonly connection: Connection | Transport;
  readonly client?: ManagerClientOptions;
  /**
   * Called once with the dependencies that the manager provides, before its controllers and services are created. For objects that reconcilers
   * need at run time: clients of other APIs, metrics.
   */
  setup?(this: void, tools: ServiceTools): void;
  readonly controllers?: readonly Controller[];
  readonly services?: readonly ServiceDefinition[];
  /** Leader election among several processes. Default: false, for a program with a single process. */
  readonly leaderElection?: LeaderElectionOptions | false;
  /** HTTP server for health probes and metrics. Default: false. */
  readonly http?: ManagerHttpOptions | false;
  /** Check for missing CRDs and permissions before controllers and services start; false to start them unchecked. Default: checked. */
  readonly preflight?: ManagerPreflightOptions | false;
  /** Milliseconds that running reconciles may take to finish when the program stops. Default: 10,000. */
  readonly graceMs?: number;
  /**
   * Minimum time, in milliseconds, that services with `when: "always"` continue after the readiness probe has started to fail, so that their clients
   * can notice it. Use 3,000 for webhooks in a cluster. Default: 0.
   */
  readonly drainMs?: number;
  /** Namespace in which the program runs. Default: `POD_NAMESPACE`, or the namespace of the connection. */
  readonly namespace?: string;
  /** Flag or environment variable that sets `namespace`, for messages: `--namespace`. Default: `POD_NAMESPACE`. */
  readonly namespaceSetting?: string;
  /** Options of the cache's lists and watches. */
  readonly cache?: Pick<CacheOptions, "reflector" | "memo">;
  /** Limits of the hot loop detection. */
  readonly hotLoops?: Omit<HotLoopOptions, "clock">;
  /** Metrics registry. Default: a new one. */
  readonly registry?: Registry;
  /** Default: text lines on standard error. */
  readonly log?: Logger;
  readonly tracing?: Tracing;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Environment with `POD_NAME`, `POD_NAMESPACE` and `POD_UID`. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The pod of this process, from its environment variables. */
export interface OwnPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
}

/** The validated options of a manager with their defaults. */
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
  /** Name of the pod or host, the `reportingInstance` of events. */
  readonly instance: string;
  readonly http: ManagerHttpOptions | undefined;
  readonly preflight: ManagerPreflightOptions | undefined;
  readonly setup: ManagerOptions["setup"] | undefined;
  readonly election:
    | (LeaderElectionOptions & Pick<ElectionOptions, "name" | "namespace" | "identity"> & { readonly leaseMs: number })
    | undefined;
  readonly cache: Pick<CacheOptions, "reflector" | "memo">;
  readonly hotLoops: Omit<HotLoopOptions, "clock"> | undefined;
}

/** Validates options and adds defaults. Throws an `ArgumentError`. */
export function settingsOf(options: ManagerOptions): ManagerSettings {
  const { name, connection, graceMs = 10_000, drainMs = 0, env = process.env, random = systemRandom } = options;
  checkName(name);
  for (const [argument, ms] of Object.entries({ graceMs, drainMs })) {
    if (!(ms >= 0 && ms <= 3_600_000))
      throw new ArgumentError({ argument, problem: `is ${ms}; it must be between 0 and 3,600,000.` });
  }
  const connectionNamespace = "send" in connection ? undefined : connection.namespace;
  const namespace = options.namespace ?? (env["POD_NAMESPACE"] || connectionNamespace || "");
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
      problem: "is unknown; set the namespace of the Lease, or the environment variable POD_NAMESPACE.",
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
