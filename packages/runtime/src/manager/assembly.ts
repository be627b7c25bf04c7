import { ServerClock } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import { Cache } from "../cache/cache.ts";
import { CacheMetrics } from "../cache/cache-metrics.ts";
import { clientSources } from "../cache/client-source.ts";
import type { CacheObserver } from "../cache/observer.ts";
import { ControllerMetrics } from "../controller/controller-metrics.ts";
import type { ControllerParts } from "../controller/controller-unit.ts";
import { correlate, type Correlation } from "../controller/correlation.ts";
import type { Controller } from "../controller/definition.ts";
import type { ControllerUnit } from "../controller/unit.ts";
import { clientLeaseStore } from "../election/client-lease-store.ts";
import { elect, type Election } from "../election/elect.ts";
import { ElectionMetrics } from "../election/election-metrics.ts";
import type { ElectionOptions } from "../election/options.ts";
import { clientEventSink, type EventClient } from "../events/client-event-sink.ts";
import type { DroppedEvents } from "../events/drop-log.ts";
import { EventMetrics } from "../events/event-metrics.ts";
import { EventRecorder } from "../events/event-recorder.ts";
import { ReconcileHistory } from "../history/reconcile-history.ts";
import type { Route } from "../http/route.ts";
import type { Logger } from "../log/logger.ts";
import { WorkQueueMetrics } from "../queue/queue-metrics.ts";
import { silentTracing } from "../tracing/tracing.ts";
import { registerAliases } from "./aliases.ts";
import { registerClockOffset, SkewReporter } from "./clock-skew.ts";
import { type ManagerClients, openClients } from "./clients.ts";
import { EventLoopMonitor, processLoop, type ReconcileTime } from "./event-loop-monitor.ts";
import { exposedCollection, IdleMemory } from "./idle-memory.ts";
import { missingNamespaceReporter, type ReportMissingNamespace } from "./missing-namespace.ts";
import type { ManagerSettings } from "./options.ts";
import { OutageReporter } from "./outage-reporter.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import { RestClientMetrics } from "./rest-client-metrics.ts";
import type { Service, ServiceTools } from "./service.ts";

/** Creates the unit of a controller: `controllerUnit`, or a fake in tests. */
export type MakeUnit = (controller: Controller, parts: ControllerParts) => ControllerUnit;

/** Callbacks of the leader election to the manager. */
export type ElectionCallbacks = Required<Pick<ElectionOptions, "lead" | "onState">>;

/** The components of a manager, created but not started. */
export interface Assembly {
  readonly clients: ManagerClients;
  readonly serverClock: ServerClock;
  readonly cache: Cache;
  readonly events: EventRecorder;
  /** Recorder for events about the pod of this process, also on standby; undefined when the pod is unknown. */
  readonly ownEvents: EventRecorder | undefined;
  readonly history: ReconcileHistory;
  readonly correlation: Correlation;
  readonly election: Election | undefined;
  readonly outage: OutageReporter;
  readonly eventLoop: EventLoopMonitor;
  readonly idleMemory: IdleMemory;
  readonly units: readonly { readonly controller: Controller; readonly unit: ControllerUnit }[];
  readonly services: readonly Service[];
  /** Pages that `setup` has added. */
  readonly pages: readonly Route[];
}

/** Creates the components of a manager. They share one connection pool, one cache and one metrics registry. */
export function assemble(settings: ManagerSettings, makeUnit: MakeUnit, callbacks: ElectionCallbacks): Assembly {
  const { name, version, registry, log, tracing, clock, random, namespace } = settings;
  const correlation = correlate();
  const server = "send" in settings.connection ? "" : new URL(settings.connection.server).host;
  const outage = new OutageReporter({ log, clock, server });
  const skew = new SkewReporter(log);
  const serverClock = new ServerClock({ clock, onOffset: (offsetMs) => skew.report(offsetMs) });
  registerClockOffset(registry, serverClock);
  const clients = openClients({
    target: settings.connection,
    client: settings.client,
    clock,
    serverClock,
    random,
    log,
    observer: new RestClientMetrics(registry, outage),
    correlationId: correlation.current,
    tracing: tracing === silentTracing ? undefined : tracing,
    mayWrite: settings.election === undefined ? undefined : () => election?.checkWrite(),
  });
  const reportMissingNamespace = missingNamespaceReporter({ log, clock, setting: settings.namespaceSetting });
  const election = electionOf(settings, { clients, callbacks, outage, reportMissingNamespace });
  const cacheMetrics = new CacheMetrics(registry);
  const cache = new Cache({
    ...settings.cache,
    sources: clientSources(clients.reading),
    clock,
    random,
    observer: cacheObserver(cacheMetrics, { log, outage }),
  });
  cacheMetrics.measure(cache);
  const eventMetrics = new EventMetrics(registry);
  const recorder = (client: EventClient): EventRecorder =>
    new EventRecorder({
      sink: clientEventSink(client),
      // Server time, because `kubectl` sorts these events together with those of other components.
      clock: serverClock,
      random,
      reportingController: name,
      reportingInstance: settings.instance,
      meter: eventMetrics,
      onDrops: (dropped) => logDrops(log, dropped),
    });
  const events = recorder(clients.writing);
  const history = new ReconcileHistory();
  const parts: ControllerParts = {
    client: clients.writing,
    cache,
    clock,
    serverClock,
    random,
    log,
    tracing,
    events,
    metrics: new ControllerMetrics(registry),
    queueMetrics: new WorkQueueMetrics(registry),
    history,
    correlation,
    recordsDetails: settings.http !== undefined,
    ...(settings.hotLoops === undefined ? {} : { hotLoops: settings.hotLoops }),
  };
  registerAliases(registry);
  const pages: Route[] = [];
  const tools: ServiceTools = {
    client: clients.writing,
    unfencedClient: clients.reading,
    connection: "send" in settings.connection ? undefined : settings.connection,
    cache,
    events,
    registry,
    log,
    clock,
    serverClock,
    random,
    tracing,
    namespace,
    reportMissingNamespace,
    addPage: (page) => pages.push(page),
  };
  settings.setup?.(tools);
  // Several controllers, one per namespace, may share a definition; its metrics are registered once.
  const ownMetrics = new Set(settings.controllers.flatMap(({ definition: { metrics } }) => metrics ?? []));
  for (const metrics of ownMetrics) metrics.register(registry);
  const units = settings.controllers.map((controller) => ({ controller, unit: makeUnit(controller, parts) }));
  registerProcessMetrics(registry, { clock, source: process, program: { name, version } });
  return {
    clients,
    serverClock,
    cache,
    events,
    ownEvents: settings.pod === undefined ? undefined : recorder(clients.reading),
    history,
    correlation,
    election,
    outage,
    eventLoop: new EventLoopMonitor(registry, {
      clock,
      log,
      // With a fake clock, the real activity of the process is meaningless.
      use: clock === systemClock ? processLoop : () => ({ activeMs: 0, turns: 0 }),
      reconciles: () => reconcileTimes(units, history),
    }),
    idleMemory: new IdleMemory({
      clock,
      source: process,
      release: () => {
        cache.releaseParsed();
        for (const { unit } of units) unit.releaseMemory();
      },
      collect: exposedCollection(),
    }),
    units,
    services: settings.services.map((service) => (typeof service === "function" ? service(tools) : service)),
    pages,
  };
}

function logDrops(log: Logger, { count, causes, objects, event, error }: DroppedEvents): void {
  const { kind = "", namespace = "", name = "" } = event.regarding ?? {};
  const object = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
  const { reason, note } = event;
  log.warn("Dropped events", { count, causes, objects, object, reason, note, ...(error !== undefined && { error }) });
}

/** Yields the running reconciles, and the last finished one of each object in the history. */
function* reconcileTimes(
  units: readonly { readonly unit: ControllerUnit }[],
  history: ReconcileHistory,
): Generator<ReconcileTime> {
  for (const { unit } of units) {
    for (const { key, startedAt } of unit.queue()?.running ?? []) yield { controller: unit.name, key, startedAt };
  }
  for (const { controller, key, last } of history.keys()) {
    yield { controller, key, startedAt: last.startedAt, endedAt: last.startedAt + last.durationMs };
  }
}

function electionOf(
  { election, registry, clock, random, log }: ManagerSettings,
  {
    clients,
    callbacks,
    outage,
    reportMissingNamespace,
  }: {
    readonly clients: ManagerClients;
    readonly callbacks: ElectionCallbacks;
    readonly outage: OutageReporter;
    readonly reportMissingNamespace: ReportMissingNamespace;
  },
): Election | undefined {
  const metrics = new ElectionMetrics(registry);
  if (election === undefined) return undefined;
  const { name, namespace, leaseMs: _leaseMs, ...options } = election;
  return elect({
    ...options,
    ...callbacks,
    name,
    namespace,
    store: clientLeaseStore(clients.lease, { name, namespace }),
    clock,
    random,
    meter: metrics.meter(name),
    onError: (error) => {
      if (reportMissingNamespace(error, `Lease ${name}`)) return;
      const level = outage.failed(error) ? "debug" : "warn";
      log[level]("Failed to read or write lease, retrying", { lease: name, error });
    },
  });
}

function cacheObserver(
  metrics: CacheObserver,
  { log, outage }: { readonly log: Logger; readonly outage: OutageReporter },
): CacheObserver {
  return {
    note(informer, note, type) {
      metrics.note(informer, note, type);
      switch (note.type) {
        case "retrying":
          log[outage.failed(note.error) ? "debug" : "warn"]("List or watch failed, retrying", {
            informer,
            error: note.error,
            inMs: note.inMs,
          });
          break;
        case "error":
          log.error("Cache callback threw", { informer, error: note.error });
          break;
        case "listed":
          log.debug("Listed", { informer, objects: note.objects, bytes: note.bytes, ms: note.ms });
          break;
        case "refused":
          log.warn("Rejected suspicious list, listing again", { informer, outcome: note.outcome });
          break;
        case "watching":
        case "ended":
        case "gone":
          log.debug("Watch state changed", { informer, state: note.type });
      }
    },
  };
}
