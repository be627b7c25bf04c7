import type { Client, Connection } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { AccessRule } from "../controller/access.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Route } from "../http/route.ts";
import type { Logger } from "../log/logger.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ReportMissingNamespace } from "./missing-namespace.ts";

/** Dependencies that a manager provides to services. */
export interface ServiceTools {
  /** Client whose writes are rejected unless this process leads. Without leader election, it always writes. */
  readonly client: Client;
  /** Client that always writes. For objects that every process maintains, such as its serving certificate. */
  readonly unfencedClient: Client;
  /** Connection of the clients, for a service that connects as other users. Undefined if the manager was given a transport. */
  readonly connection?: Connection | undefined;
  readonly cache: Cache;
  /** Event recorder. With leader election, it sends events only while this process leads. */
  readonly events: EventRecorder;
  readonly registry: Registry;
  readonly log: Logger;
  /** The local clock, for durations and timers. */
  readonly clock: Clock;
  /** The estimated clock of the API server, for times in objects. */
  readonly serverClock: Clock;
  readonly random: Random;
  /** Tracing of the manager, for spans of requests to other programs. Without tracing, it records nothing. */
  readonly tracing: Tracing;
  /** Namespace in which the program runs; empty when it is unknown. */
  readonly namespace: string;
  /**
   * Logs a failed write of the service if its cause is a missing namespace, and returns true then. The log line names the namespace and the
   * command that creates it; `neededFor` names the object to be written.
   */
  readonly reportMissingNamespace: ReportMissingNamespace;
  /**
   * Adds a page to the port of `/why`, with the same access: by default only from localhost, which includes port-forwards. Call it in `setup`; pages
   * that are added after the manager has started to listen are not served. Without an HTTP port, it has no effect.
   */
  readonly addPage: (page: Route) => void;
}

/**
 * Anything that a manager runs besides its controllers: a webhook server, a nightly cleanup, a poller.
 *
 * @example
 * const service: Service = { name: "clock", when: "leading", run: (signal) => tick(signal) };
 */
export interface Service {
  readonly name: string;
  /** `"always"`: runs in every process of the program; `"leading"`: only in the leader. */
  readonly when: "always" | "leading";
  /**
   * Works until the signal aborts, and resolves when its work has stopped. It may return earlier when there is nothing left to do; a service of the
   * leader is called again in the next term. When it throws, the manager stops.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Reports whether the service is ready, for the readiness probe. Default: always ready. */
  isReady?(): boolean;
  /** Milliseconds that `run` may take after the signal has aborted. The manager aborts its own work after that. Default: 5,000. */
  readonly stopMs?: number;
  /** RBAC rules that the service needs. It is started when all of them are granted. */
  readonly access?: readonly AccessRule[];
}

/** A service, or a function that creates it from the dependencies of the manager. */
export type ServiceDefinition = Service | ((tools: ServiceTools) => Service);
