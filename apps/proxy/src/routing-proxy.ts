// The program: tables from the route server, listeners with engines, and the admin port.

import type { Clock, Random } from "@homeostat/core";
import {
  type Connect,
  connectTcp,
  Deadlines,
  type Engine,
  Holds,
  Http1Engine,
  Http2Engine,
  type Listen,
  Listeners,
  type RouteObserver,
  RouteTables,
  SafeEngine,
  TwoChoiceBalancer,
} from "@homeostat/proxy";
import { type CompiledTable, KeyReader, TraceKeys } from "@homeostat/routing";
import {
  Gauge,
  healthRoutes,
  type HttpServer,
  type Logger,
  metricsRoute,
  Registry,
  serveHttp,
} from "@homeostat/runtime";
import { GatewayPorts } from "./gateway/gateway-ports.ts";
import { Gateway } from "./gateway/gateway.ts";
import { debugGuard, debugRoutes } from "./admin/admin-routes.ts";
import type { LevelSetting } from "./admin/level-logger.ts";
import { ListenPorts } from "./listen/listen-ports.ts";
import { ProxyMetrics } from "./metrics/proxy-metrics.ts";
import { registerServiceGauges } from "./metrics/service-gauges.ts";
import { RouteClient } from "./routes/route-client.ts";
import type { RouteServerAddress } from "./routes/route-connection.ts";
import { SnapshotFile } from "./routes/snapshot-file.ts";
import { type RouteState, TableStore } from "./routes/table-store.ts";
import type { ProxySettings } from "./settings/flags.ts";
import { applicationEnd } from "./sidecar/application-end.ts";
import { sidecarTables } from "./sidecar/application-ports.ts";
import { Activity } from "./traffic/activity.ts";
import { LoggedSandboxes } from "./traffic/logged-sandboxes.ts";
import type { ProxySpan } from "./traffic/proxy-span.ts";
import { type ReportContent, Reporter } from "./traffic/reporter.ts";
import { Sightings } from "./traffic/sightings.ts";
import { RequestRecords } from "./traffic/request-records.ts";

export interface RoutingProxyOptions {
  readonly settings: ProxySettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly level: LevelSetting;
  /** Reads address and credentials of the route server. */
  readonly routeServer: () => Promise<RouteServerAddress>;
  /** Reads the token of `/debug`. */
  readonly adminToken: () => Promise<string | undefined>;
  /** Exports spans of requests whose sender records its trace; undefined without a collector. */
  readonly spans?: { readonly add: (span: ProxySpan) => void } | undefined;
  /** Metrics of the proxy. */
  readonly registry?: Registry | undefined;
  /** Default: the network of this machine. A simulated pod has its own. The safe engine connects without it. */
  readonly network?: ProxyNetwork | undefined;
  /** Called with the port of health, metrics and `/debug` once it is open. */
  readonly onListening?: ((adminPort: number) => void) | undefined;
}

/** The network in which a proxy listens and forwards requests. */
export interface ProxyNetwork {
  readonly connect: Connect;
  readonly listen: Listen;
  /** Address on which the admin port listens. */
  readonly adminHost: string;
}

/** Time after the start after which the tables of a snapshot make the proxy ready without a route server. */
const snapshotReadyMs = 5_000;
/** Time after which a sidecar passes on a connection whose client has sent nothing. */
const silentSidecarMs = 500;
/** Series of sandboxes are removed this long after the sandbox left the tables. */
const forgetMs = 300_000;

/** A running proxy of one role. */
export class RoutingProxy {
  readonly #options: RoutingProxyOptions;
  readonly #store: TableStore;
  readonly #tables: RouteTables;
  readonly #listenPorts: ListenPorts | GatewayPorts;
  /** Preview hosts and their ports, in the role gateway. */
  readonly #gateway: Gateway | undefined;
  readonly #gatewayPorts: GatewayPorts | undefined;
  readonly #listeners: Listeners;
  readonly #engines: readonly Engine[];
  readonly #holds: Holds;
  readonly #client: RouteClient;
  readonly #metrics: ProxyMetrics;
  readonly #registry: Registry;
  readonly #logged = new LoggedSandboxes();
  readonly #balancer: TwoChoiceBalancer;
  readonly #snapshot: SnapshotFile | undefined;
  #keys: KeyReader;
  #hasSnapshot = false;
  #isSettled = false;
  #isStopping = false;
  #admin: HttpServer | undefined;

  constructor(options: RoutingProxyOptions) {
    this.#options = options;
    const { settings, clock, random, log } = options;
    const { limits } = settings;
    this.#registry = options.registry ?? new Registry();
    this.#metrics = new ProxyMetrics(this.#registry, settings.role);
    const { spans } = options;
    const records = new RequestRecords({ clock, random, log, logged: this.#logged, spans, next: this.#metrics });
    this.#store = new TableStore((state) => this.#use(state));
    this.#keys = new KeyReader({ role: settings.role, settings: this.#store.state.settings });
    const traceKeys = new TraceKeys({ clock, onRestored: this.#metrics.countRestored });
    this.#tables = new RouteTables({ keys: this.#keys, random, count: this.#metrics.countRouting, traceKeys });
    this.#balancer = new TwoChoiceBalancer({ clock, random, limits });
    const inside = options.network === undefined ? {} : { connect: options.network.connect };
    const shared = { balancer: this.#balancer, clock, limits, observer: records, ...inside };
    const engines = createEngines(settings.engine, shared);
    this.#engines = [...new Set(Object.values(engines))];
    this.#listeners = new Listeners({
      ...engines,
      deadlines: new Deadlines(clock),
      limits,
      observer: records,
      connect: options.network?.connect ?? connectTcp,
      listen: options.network?.listen,
      host: settings.host === "" ? undefined : settings.host,
    });
    const holds = new Holds({ clock, limits, wake: () => reporter.wake() });
    this.#holds = holds;
    const activity = new Activity({ tables: this.#tables, holds, balancer: this.#balancer, clock });
    const sightings = new Sightings({ clock, percent: () => this.#keys.settings.auditPercent });
    const reporter = new Reporter({
      clock,
      take: () => takeReport(activity, sightings),
      putBack: (content) => activity.putBack(content.activity),
      waiting: () => holds.size,
    });
    const observer: RouteObserver = {
      routed: (destination) => activity.routed(destination),
      record: (request, decision, destination) => {
        sightings.see(request, decision, destination);
        return records.record(request, decision, destination);
      },
    };
    // Without a table, the protocol of a port of the application is unknown.
    const silentMs = settings.role === "sidecar" ? silentSidecarMs : undefined;
    const ports = { listeners: this.#listeners, tables: this.#tables, holds, log, observer, silentMs };
    if (settings.role === "gateway") {
      this.#gateway = new Gateway({ tables: this.#tables, holds, clock, observer });
      this.#gatewayPorts = new GatewayPorts({ ...ports, router: this.#gateway.router, settings, clock });
      this.#listenPorts = this.#gatewayPorts;
    } else this.#listenPorts = new ListenPorts(ports);
    this.#snapshot = settings.snapshotFile === "" ? undefined : new SnapshotFile(settings.snapshotFile);
    const { role, name, namespace, services } = settings;
    this.#client = new RouteClient({
      address: options.routeServer,
      identity: { proxy: name, role, namespace, services },
      store: this.#store,
      clock,
      random,
      log,
      uses: this.#gateway?.uses,
      reporter,
      inUse: async () => {
        await this.#listenPorts.sync();
        return [...this.#store.errors, ...this.#listenPorts.errors];
      },
    });
    this.#registerGauges(holds);
  }

  /** Port of health, metrics and `/debug`, once the proxy runs. */
  get adminPort(): number | undefined {
    return this.#admin?.port;
  }

  /** Ports of preview hosts that are open, in the role gateway. */
  get gatewayPorts(): ReadonlyMap<"http" | "https", number> {
    return this.#gatewayPorts?.ports ?? new Map();
  }

  /** Runs until the signal aborts, then lets running requests finish unless the proxy is killed. */
  async run(signal: AbortSignal, { killed }: { readonly killed?: AbortSignal } = {}): Promise<void> {
    const { settings, clock, log, random, level, adminToken, onListening } = this.#options;
    this.#hasSnapshot = (await this.#snapshot?.restore(this.#store)) ?? false;
    // A sidecar serves its application from the start, before it has received any table.
    if (settings.role === "sidecar") {
      this.#route(this.#store.state);
      await this.#listenPorts.sync();
    }
    await using admin = await serveHttp({
      host: this.#options.network?.adminHost,
      port: settings.adminPort,
      purpose: "health and metrics",
      routes: [
        ...healthRoutes({ live: () => [], ready: () => [{ name: "routes", problem: () => this.#problem() }] }),
        metricsRoute(this.#registry),
        ...debugRoutes({
          role: settings.role,
          state: () => this.#store.state,
          health: this.#balancer,
          random,
          level,
          logged: this.#logged,
        }),
      ],
      guard: debugGuard(adminToken),
      onError: (error, path) => log.error("Request to the admin port failed", { path, error }),
      clock,
    });
    this.#admin = admin;
    onListening?.(admin.port);
    const settling = clock.schedule(snapshotReadyMs, () => {
      this.#isSettled = true;
    });
    const forgetting = this.#forgetRegularly();
    const serving = this.#gatewayPorts?.run(signal);
    log.info("Started proxy", { role: settings.role, engine: settings.engine, adminPort: admin.port });
    try {
      await this.#client.run(signal);
      await serving;
      await this.#stop(killed);
    } finally {
      settling[Symbol.dispose]();
      forgetting[Symbol.dispose]();
    }
  }

  async #stop(killed: AbortSignal | undefined): Promise<void> {
    const { clock, log, settings } = this.#options;
    this.#isStopping = true;
    const isKilled = (): boolean => killed?.aborted === true;
    const kill = (): void => this.#listeners.close();
    if (isKilled()) return kill();
    killed?.addEventListener("abort", kill, { once: true });
    if (settings.role === "sidecar") await this.#untilApplicationEnds(killed);
    else {
      const { shutdownDelayMs } = settings.limits;
      log.info("Stopping, waiting for Services to stop sending connections", { seconds: shutdownDelayMs / 1000 });
      await clock.sleep(shutdownDelayMs, killed).catch(() => undefined);
    }
    if (!isKilled()) await this.#listeners.drain();
    killed?.removeEventListener("abort", kill);
    log.info("Stopped");
  }

  async #untilApplicationEnds(killed: AbortSignal | undefined): Promise<void> {
    const { clock, log, settings, network } = this.#options;
    log.info("Stopping, waiting for the application to end");
    const connect = network?.connect ?? connectTcp;
    await applicationEnd(settings.applicationPorts, { clock, connect, signal: killed });
  }

  /** Returns the reason for which the proxy is not ready. */
  #problem(): string | undefined {
    // A sidecar without tables passes everything on to its application. It must not keep the pod from being ready.
    const isPassing = this.#options.settings.role === "sidecar" && this.#isSettled;
    if (this.#isStopping) return "failed: the proxy is stopping";
    if (
      !isPassing &&
      !this.#store.isSynced &&
      !(this.#hasSnapshot && this.#isSettled) &&
      this.#client.ageMs === undefined
    )
      return "failed: no route tables were received";
    const [port] = this.#listenPorts.failed.keys();
    return port === undefined ? undefined : `failed: cannot listen on port ${port}`;
  }

  #use(state: RouteState): void {
    const { log } = this.#options;
    this.#route(state);
    this.#snapshot?.write(state).catch((error: unknown) => log.warn("Failed to write snapshot of routes", { error }));
  }

  #route(state: RouteState): void {
    const { settings } = this.#options;
    if (state.settings !== this.#keys.settings)
      this.#keys = new KeyReader({ role: settings.role, settings: state.settings });
    const tables = this.#tablesOf(state);
    this.#tables.swap({ tables, keys: this.#keys, others: this.#gateway?.use(state) });
    const { addresses } = this.#tables.current;
    for (const engine of this.#engines) engine.retain(addresses);
    this.#balancer.retain(addresses);
    this.#holds.retryAll();
    void this.#listenPorts.sync();
  }

  /** Returns the tables to route by. Those of a sidecar lead to the application beside it. */
  #tablesOf({ tables }: RouteState): readonly CompiledTable[] {
    const { role, applicationPorts: ports, namespace } = this.#options.settings;
    if (role !== "sidecar") return [...tables.values()].map(({ compiled }) => compiled);
    const received = [...tables.values()].map(({ table }) => table);
    return sidecarTables(received, { ports, namespace });
  }

  #registerGauges(holds: Holds): void {
    const gauge = (name: string, help: string, read: () => number): void => {
      this.#registry.register(new Gauge({ name, help, read: (set) => set(read()) }));
    };
    gauge("proxy_config_version", "Version of the last route tables.", () => this.#store.position?.version ?? 0);
    gauge("proxy_config_age_seconds", "Time since the route tables were known to be current.", () =>
      this.#client.ageMs === undefined ? 0 : this.#client.ageMs / 1000,
    );
    registerServiceGauges(this.#registry, { holds, tables: this.#tables, balancer: this.#balancer });
    gauge("proxy_client_connections", "Open connections of clients.", () =>
      this.#engines.reduce((sum, { size }) => sum + size, 0),
    );
  }

  #forgetRegularly(): Disposable {
    const { clock } = this.#options;
    const ending = new AbortController();
    const loop = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        await clock.sleep(forgetMs, ending.signal).catch(() => undefined);
        this.#metrics.forgetMissing(sandboxesOf(this.#store.state));
      }
    };
    void loop();
    return { [Symbol.dispose]: () => ending.abort() };
  }
}

/** Returns the engines of both protocols. The safe engine serves both, and translates where the application speaks HTTP/2 only. */
function createEngines(
  engine: ProxySettings["engine"],
  options: ConstructorParameters<typeof SafeEngine>[0],
): { readonly http1: Engine; readonly http2: Engine; readonly translator: Engine } {
  const safe = new SafeEngine(options);
  if (engine === "safe") return { http1: safe, http2: safe, translator: safe };
  return { http1: new Http1Engine(options), http2: new Http2Engine(options), translator: safe };
}

function takeReport(activity: Activity, sightings: Sightings): ReportContent | undefined {
  const content = { activity: activity.take(), sightings: sightings.take() };
  return content.activity.length + content.sightings.length === 0 ? undefined : content;
}

function sandboxesOf({ tables }: RouteState): ReadonlySet<string> {
  const names = [...tables.values()].flatMap(({ table }) =>
    table.entries.map(({ sandbox }) => `${table.namespace}/${sandbox}`),
  );
  return new Set(names);
}
