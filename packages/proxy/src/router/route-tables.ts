import type { Random } from "@homeostat/core";
import type {
  CompiledPort,
  CompiledRoute,
  CompiledTable,
  CountError,
  DecisionContext,
  KeyReader,
  TraceKeys,
} from "@homeostat/routing";
import type { UpstreamTls } from "../upstream/upstream-tls.ts";
import type { Destination } from "./route-plan.ts";

/** Values of `appProtocol` of ports whose applications speak HTTP/2 without TLS only. */
const http2Protocols: ReadonlySet<string> = new Set(["grpc", "http2", "kubernetes.io/h2c"]);

/** Dependencies of {@link RouteTables}. */
export interface RouteTablesOptions {
  readonly keys: KeyReader;
  readonly random: Random;
  readonly count?: CountError | undefined;
  /** Keys of traces, used while a table restores lost keys. */
  readonly traceKeys?: TraceKeys | undefined;
}

/** A port of a table with the parts of plans that are the same for all requests. */
export interface RoutedPort {
  readonly port: CompiledPort;
  readonly namespace: string;
  readonly service: string;
  readonly baseline: Destination;
  readonly baselineTargets: readonly string[];
  readonly baselineWorkload: string;
  /** True if the application speaks HTTP/2 only, as the `appProtocol` of the port says. */
  readonly isHttp2: boolean;
  /** TLS to all targets of the port. Default: none. */
  readonly tls?: UpstreamTls | undefined;
}

/** Labels of a route. */
export interface RouteLabels {
  readonly destination: Destination;
  readonly workload: string;
}

/** All tables at one moment. Immutable: a request uses the snapshot that it began with. */
export interface TablesSnapshot {
  readonly ports: ReadonlyMap<number, RoutedPort>;
  readonly context: DecisionContext;
  /** Addresses of all targets and baselines. */
  readonly addresses: ReadonlySet<string>;
}

/** Parts of {@link RouteTables} that change. */
export interface TablesChange {
  readonly tables?: readonly CompiledTable[] | undefined;
  /** Reader of keys with new settings. */
  readonly keys?: KeyReader | undefined;
  /** Keys and addresses that the proxy knows besides those of the tables, such as those of preview hosts. */
  readonly others?: KnownOthers | undefined;
}

/** Keys and addresses that are in no table. */
export interface KnownOthers {
  readonly keys: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
}

const noOthers: KnownOthers = { keys: new Set(), addresses: new Set() };

/** The route tables of a proxy. A change builds a new snapshot and replaces one reference. */
export class RouteTables {
  readonly #options: RouteTablesOptions;
  readonly #listeners = new Set<(snapshot: TablesSnapshot) => void>();
  readonly #labels = new WeakMap<CompiledRoute, RouteLabels>();
  #tables: readonly CompiledTable[] = [];
  #keys: KeyReader;
  #others = noOthers;
  #current: TablesSnapshot;

  constructor(options: RouteTablesOptions) {
    this.#options = options;
    this.#keys = options.keys;
    this.#current = this.#build();
  }

  get current(): TablesSnapshot {
    return this.#current;
  }

  /** Replaces the tables, the settings, or other parts. */
  swap({ tables = this.#tables, keys = this.#keys, others = this.#others }: TablesChange): void {
    this.#tables = tables;
    this.#keys = keys;
    this.#others = others;
    this.#current = this.#build();
    for (const listener of this.#listeners) listener(this.#current);
  }

  /** Calls a function after every change, until the returned function is called. */
  onChange(listener: (snapshot: TablesSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the labels of a route, which are the same for all of its requests. */
  labelsOf(route: CompiledRoute, { namespace, service }: RoutedPort): RouteLabels {
    const before = this.#labels.get(route);
    if (before !== undefined) return before;
    const { sandbox, workload, sandboxUid } = route.entry;
    const names = { namespace, service, kind: "sandbox", sandbox, workload } as const;
    const destination: Destination = sandboxUid === undefined ? names : { ...names, sandboxUid };
    const labels = { destination, workload: `${namespace}/${service}/${sandbox}/${workload}` };
    this.#labels.set(route, labels);
    return labels;
  }

  #build(): TablesSnapshot {
    const tables = this.#tables;
    const others = this.#others;
    const { random, count } = this.#options;
    let traceKeys: TraceKeys | undefined;
    const ports = new Map<number, RoutedPort>();
    const addresses = new Set(others.addresses);
    for (const table of tables) {
      for (const port of table.ports.values()) {
        if (port.restoresKeys) traceKeys = this.#options.traceKeys;
        addresses.add(port.port.baselineTarget);
        for (const { targets } of port.routes.targets()) for (const target of targets) addresses.add(target);
        if (port.port.listen !== undefined) ports.set(port.port.listen, routedPort(table, port));
      }
    }
    const knownKeys = {
      has: (key: string) => others.keys.has(key) || tables.some((table) => table.keys.has(key)),
    };
    return { ports, addresses, context: { keys: this.#keys, random, count, knownKeys, traceKeys } };
  }
}

/** Changes of a {@link RoutedPort}. */
export interface RoutedPortOptions {
  /** Default: the address of the baseline in the table. */
  readonly targets?: readonly string[] | undefined;
  readonly tls?: UpstreamTls | undefined;
}

/** Returns a port of a Service with the parts of plans. */
export function routedPort(
  { namespace, service }: Pick<CompiledTable, "namespace" | "service">,
  port: CompiledPort,
  { targets = [port.port.baselineTarget], tls }: RoutedPortOptions = {},
): RoutedPort {
  return {
    port,
    namespace,
    service,
    baseline: { namespace, service, kind: "baseline", sandbox: "", workload: "" },
    baselineTargets: targets,
    baselineWorkload: `${namespace}/${service}`,
    isHttp2: tls === undefined && http2Protocols.has(port.port.appProtocol ?? ""),
    ...(tls !== undefined && { tls }),
  };
}
