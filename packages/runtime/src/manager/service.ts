import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { AccessRule } from "../controller/access.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ReportMissingNamespace } from "./missing-namespace.ts";

/** What a manager gives a service to work with. */
export interface ServiceTools {
  /** Writes only while this process leads, where there is an election. */
  readonly client: Client;
  /** Writes at any time: for what belongs to each process, such as the certificates it serves with. */
  readonly unfencedClient: Client;
  readonly cache: Cache;
  /** Sends what it is told while this process leads, where there is an election. */
  readonly events: EventRecorder;
  readonly registry: Registry;
  readonly log: Logger;
  /** The local clock: for measuring, waiting and timers. */
  readonly clock: Clock;
  /** The clock of the API server, estimated: for reading and writing times of objects. */
  readonly serverClock: Clock;
  readonly random: Random;
  /** The namespace that the program itself lives in; empty when that is not known. */
  readonly namespace: string;
  /**
   * Reports a failed write of the service if its cause is a missing namespace, and returns whether it is. The log line says which
   * namespace is missing and how to create it; `neededFor` names the object to be written.
   */
  readonly reportMissingNamespace: ReportMissingNamespace;
}

/**
 * Anything that a manager runs beside its controllers: a webhook server, a clean-up every night, a feed.
 *
 * @example
 * const service: Service = { name: "clock", when: "leading", run: (signal) => tick(signal) };
 */
export interface Service {
  readonly name: string;
  /** In every process of the program, or only in the one that leads. */
  readonly when: "always" | "leading";
  /**
   * Works until the signal aborts, and resolves when its work is put down. It may end by itself when there is nothing left
   * to do; a service of the leader is called again when this process leads again. When it throws, the manager stops.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Whether it can do its work now, for the readiness of the program. Default: it can. */
  isReady?(): boolean;
  /** What it needs to be allowed to do. It is not started before it is. */
  readonly access?: readonly AccessRule[];
}

/** A service, or how to make it with what the manager has. */
export type ServiceDefinition = Service | ((tools: ServiceTools) => Service);
