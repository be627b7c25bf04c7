import { type CompiledConditions, compileConditions } from "./conditions.ts";
import { RouteLookup } from "./route-lookup.ts";
import type {
  EntryPort,
  Interception,
  OnUnavailable,
  RouteEntry,
  RouteTable,
  StickyBy,
  TablePort,
} from "./route-table.ts";

/** A table in the form that decisions use. Immutable: an update builds a new one and replaces the reference. */
export interface CompiledTable {
  readonly namespace: string;
  readonly service: string;
  readonly version: string;
  readonly interception: Interception;
  /** Ports by their number in the Service. */
  readonly ports: ReadonlyMap<number, CompiledPort>;
  /** Keys of all entries. */
  readonly keys: ReadonlySet<string>;
  /** Lower-case names of the headers that conditions of entries read. An engine may collect just these and those of the key. */
  readonly headerNames: readonly string[];
}

/** The routes of one port of a Service. */
export interface CompiledPort {
  readonly port: TablePort;
  /** Keys of the whole table. A key with routes for other ports only is known. */
  readonly keys: ReadonlySet<string>;
  /** True if requests without a key get that of their trace. */
  readonly restoresKeys: boolean;
  /** Routes by key. */
  readonly routes: RouteLookup;
}

/** An entry, prepared for one port. */
export interface CompiledRoute {
  readonly entry: RouteEntry;
  readonly conditions: CompiledConditions | undefined;
  /** Share of the matching requests, in hundredths of a percent. */
  readonly share: number;
  readonly stickyBy: StickyBy;
  /** Lower-case name of the header for `stickyBy: Header`. */
  readonly stickyHeader: string;
  readonly onUnavailable: OnUnavailable;
  readonly holdMs: number;
  /** Addresses as `host:port`: ready endpoints, the Service if its endpoints are unknown, or the baseline for a Virtual entry. */
  readonly targets: readonly string[];
  /** Headers to set on forwarded requests, with lower-case names. */
  readonly additionalHeaders: readonly (readonly [name: string, value: string])[];
  readonly faults: readonly CompiledFault[];
  /** True if requests are logged. */
  readonly isLogged: boolean;
}

/** A fault, prepared for decisions. */
export interface CompiledFault {
  readonly conditions: CompiledConditions | undefined;
  /** Share of the requests, in hundredths of a percent. */
  readonly share: number;
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly abortCode: number | undefined;
  readonly abortGrpcStatus: number | undefined;
}

const defaultHoldSeconds = 90;
const none: readonly never[] = [];

/** Builds the lookup form of a table. The same table always gives the same result. */
export function compileTable(table: RouteTable): CompiledTable {
  // Explicit routes are tried before others, whatever the order of the list is. The sort is stable.
  const entries = table.entries.every(isMatched)
    ? table.entries
    : table.entries.toSorted((a, b) => Number(isMatched(a)) - Number(isMatched(b)));
  const keys = new Set(entries.map(({ routingKey }) => routingKey));
  const { restoreKeys: restoresKeys = false } = table;
  const ports = new Map(
    table.ports.map((port) => [
      port.port,
      { port, keys, restoresKeys, routes: routesOf(port, entries, table.namespace) },
    ]),
  );
  const headerNames = new Set(entries.flatMap(headersOf));
  const { namespace, service, version, interception = "Takeover" } = table;
  return { namespace, service, version, interception, ports, keys, headerNames: [...headerNames].sort() };
}

function isMatched({ source }: RouteEntry): boolean {
  return source !== "Explicit";
}

function routesOf(port: TablePort, entries: readonly RouteEntry[], namespace: string): RouteLookup {
  const targetsOfPort = (entry: RouteEntry): readonly string[] | undefined => targetsOf(entry, port, namespace);
  return new RouteLookup(entries, {
    targetsOf: targetsOfPort,
    compile: (entry) => {
      const targets = targetsOfPort(entry);
      return targets === undefined ? undefined : compileRoute(entry, targets);
    },
  });
}

/** Returns the targets of an entry for a port, or undefined if it has none: the workload does not serve this port. */
function targetsOf(
  entry: RouteEntry,
  { port, baselineTarget }: TablePort,
  namespace: string,
): readonly string[] | undefined {
  if (entry.mode === "Virtual") return [baselineTarget];
  const found: EntryPort | undefined = entry.ports.find((each) => each.port === port);
  if (found === undefined) return undefined;
  return found.addresses ?? [`${found.targetService}.${namespace}.svc:${found.targetPort}`];
}

function compileRoute(entry: RouteEntry, targets: readonly string[]): CompiledRoute {
  const { onUnavailable = "Fail" } = entry;
  const { holdSeconds = onUnavailable === "Hold" ? defaultHoldSeconds : 0 } = entry;
  return {
    entry,
    conditions: compileConditions(entry.match ?? {}),
    share: shareOf(entry.percent),
    stickyBy: entry.stickyBy ?? "TraceId",
    stickyHeader: stickyHeaderOf(entry),
    onUnavailable,
    holdMs: holdSeconds * 1000,
    targets,
    additionalHeaders:
      entry.additionalHeaders === undefined
        ? none
        : Object.entries(entry.additionalHeaders).map(([name, value]) => [name.toLowerCase(), value] as const),
    faults: entry.middleware?.faults?.map(compileFault) ?? none,
    isLogged: entry.middleware?.accessLog ?? false,
  };
}

function compileFault(fault: NonNullable<NonNullable<RouteEntry["middleware"]>["faults"]>[number]): CompiledFault {
  return {
    conditions: compileConditions(fault),
    share: shareOf(fault.percent),
    delayMs: fault.delayMs ?? 0,
    jitterMs: fault.jitterMs ?? 0,
    abortCode: fault.abortCode,
    abortGrpcStatus: fault.abortGrpcStatus,
  };
}

function shareOf(percent = 100): number {
  return percent * 100;
}

function stickyHeaderOf({ stickyHeader = "x-sticky-key" }: RouteEntry): string {
  return stickyHeader.toLowerCase();
}

function headersOf(entry: RouteEntry): string[] {
  const names = entry.match?.headers?.map(({ name }) => name.toLowerCase()) ?? [];
  if (entry.stickyBy === "Header") names.push(stickyHeaderOf(entry));
  return names;
}
