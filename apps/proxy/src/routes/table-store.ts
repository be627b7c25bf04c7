import {
  type CompiledTable,
  compileTable,
  defaultRoutingSettings,
  type FieldProblem,
  noPreviewSettings,
  parsePreviewHost,
  parsePreviewSettings,
  parseRoutingSettings,
  parseTable,
  type PreviewHost,
  type PreviewSettings,
  type ReceivedOperation,
  type RouteTable,
  type RoutingSettings,
} from "@homeostat/routing";

/** Tables and settings at one moment. Immutable: every change makes a new one. */
export interface RouteState {
  readonly settings: RoutingSettings;
  /** Tables by `namespace/service`. */
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** Preview hosts by `namespace/@host`; only gateways have some. */
  readonly hosts: ReadonlyMap<string, PreviewHost>;
  readonly preview: PreviewSettings;
}

/** A table as it was received, and in the form that decisions use. */
export interface StoredTable {
  readonly table: RouteTable;
  readonly compiled: CompiledTable;
}

/** A table that the proxy cannot use, or of which it leaves out entries. It is reported to the route server. */
export interface TableError {
  readonly namespace: string;
  readonly service: string;
  readonly message: string;
}

/** Position in the stream of one route server process. */
export interface StreamPosition {
  readonly epoch: string;
  readonly version: number;
}

/**
 * Holds the tables and settings of the proxy and applies the operations of the stream to them.
 *
 * A proxy that loses its stream keeps its tables without limit: routes that are a little old are better than none.
 */
export class TableStore {
  readonly #onChange: (state: RouteState) => void;
  #state: RouteState = {
    settings: defaultRoutingSettings,
    tables: new Map(),
    hosts: new Map(),
    preview: noPreviewSettings,
  };
  #errors = new Map<string, TableError>();
  #position: StreamPosition | undefined;
  /** Tables that were received since the stream began; undefined after SYNCED. */
  #received: Set<string> | undefined;

  /** @param onChange Called after every change with the new state. */
  constructor(onChange: (state: RouteState) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get state(): RouteState {
    return this.#state;
  }

  /** Problems of the tables that are in use or were refused. */
  get errors(): readonly TableError[] {
    return [...this.#errors.values()];
  }

  /** Last position that was reached completely; a new stream may continue there. */
  get position(): StreamPosition | undefined {
    return this.#position;
  }

  /** True while a stream is connected and all its tables were received. */
  get isSynced(): boolean {
    return this.#position !== undefined && this.#received === undefined;
  }

  /** Begins a stream. Until `SYNCED` the tables of the stream before it stay in use. */
  begin(): void {
    this.#received = new Set();
  }

  /** Applies an operation. Returns true if it completes a version, which the proxy then confirms. */
  apply(operation: ReceivedOperation): boolean {
    switch (operation.op) {
      case "ADD":
      case "REPLACE":
        this.#store(operation.table);
        return this.#reach(operation.version);
      case "REMOVE":
        this.#remove(nameOf(operation.table));
        return this.#reach(operation.version);
      case "CONFIG":
        this.#publish({ settings: parseRoutingSettings(operation.routing).settings });
        return false;
      case "HOST":
        this.#storeHost(operation.host);
        return this.#reach(operation.version);
      case "HOST_REMOVED":
        this.#removeHost(hostKeyOf(operation.host));
        return this.#reach(operation.version);
      case "PREVIEW":
        this.#publish({ preview: parsePreviewSettings(operation.preview).settings });
        return false;
      case "SYNCED":
        if (operation.snapshot) this.#dropOthers();
        this.#received = undefined;
        this.#position = { epoch: operation.epoch, version: operation.version };
        return true;
      case "PING":
        return this.#reach(operation.version);
      case "END":
      case "UNKNOWN":
        return false;
    }
  }

  /** Replaces everything by a snapshot from before a restart. Tables that are no longer valid are left out. */
  restore(tables: readonly unknown[], settings: unknown): void {
    this.#publish({ settings: parseRoutingSettings(settings).settings, tables: new Map() });
    for (const table of tables) this.#store(table);
  }

  /** Returns true if the version is new. Before SYNCED, operations have no version. */
  #reach(version: number | undefined): boolean {
    if (version === undefined || this.#position === undefined || this.#received !== undefined) return false;
    if (version <= this.#position.version) return false;
    this.#position = { epoch: this.#position.epoch, version };
    return true;
  }

  #store(value: unknown): void {
    const { table, problems } = parseTable(value);
    const name = table === undefined ? rawName(value) : nameOf(table);
    if (name === undefined) return;
    this.#received?.add(name);
    this.#report(name, problems);
    // An unusable table leaves the one before it in use: its Service still has the listeners and most of the routes of that one.
    if (table === undefined) return;
    const tables = new Map(this.#state.tables);
    tables.set(name, { table, compiled: compileTable(table) });
    this.#publish({ tables });
  }

  /** Stores a preview host. An unusable one replaces the one before it by nothing: its restrictions may have become stricter. */
  #storeHost(value: unknown): void {
    const { host, problems } = parsePreviewHost(value);
    const key = host === undefined ? rawHostKey(value) : hostKeyOf(host);
    if (key === undefined) return;
    this.#received?.add(key);
    this.#report(key, problems);
    const hosts = new Map(this.#state.hosts);
    if (host === undefined) hosts.delete(key);
    else hosts.set(key, host);
    this.#publish({ hosts });
  }

  #removeHost(key: string): void {
    this.#received?.delete(key);
    this.#errors.delete(key);
    if (!this.#state.hosts.has(key)) return;
    const hosts = new Map(this.#state.hosts);
    hosts.delete(key);
    this.#publish({ hosts });
  }

  #remove(name: string): void {
    this.#received?.delete(name);
    this.#errors.delete(name);
    if (!this.#state.tables.has(name)) return;
    const tables = new Map(this.#state.tables);
    tables.delete(name);
    this.#publish({ tables });
  }

  #dropOthers(): void {
    const received = this.#received ?? new Set();
    const tables = new Map([...this.#state.tables].filter(([name]) => received.has(name)));
    for (const name of this.#errors.keys()) if (!received.has(name)) this.#errors.delete(name);
    const hosts = new Map([...this.#state.hosts].filter(([key]) => received.has(key)));
    if (tables.size < this.#state.tables.size || hosts.size < this.#state.hosts.size) this.#publish({ tables, hosts });
  }

  #report(name: string, problems: readonly FieldProblem[]): void {
    const [namespace = "", service = ""] = name.split("/");
    const message = problems.map(({ field, reason }) => `${field}: ${reason}`).join("; ");
    if (problems.length === 0) this.#errors.delete(name);
    else this.#errors.set(name, { namespace, service, message });
  }

  #publish(change: Partial<RouteState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange(this.#state);
  }
}

/** Returns the name under which a table is stored. */
export function nameOf({ namespace, service }: { readonly namespace: string; readonly service: string }): string {
  return `${namespace}/${service}`;
}

/** Returns the name under which a preview host is stored and confirmed. No Service has such a name. */
function hostKeyOf({ namespace, host }: { readonly namespace: string; readonly host: string }): string {
  return `${namespace}/@${host}`;
}

function rawHostKey(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("namespace" in value) || !("host" in value)) return undefined;
  const { namespace, host } = value;
  return typeof namespace === "string" && typeof host === "string" ? hostKeyOf({ namespace, host }) : undefined;
}

function rawName(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("namespace" in value) || !("service" in value)) return undefined;
  const { namespace, service } = value;
  return typeof namespace === "string" && typeof service === "string" ? nameOf({ namespace, service }) : undefined;
}
