// Decides whether all proxies use the routes of a sandbox or a group.

import { findCondition } from "@homeostat/core";
import type { LimitationName } from "../api/limitation-names.ts";
import type { CachedRouteTable, RouteTableReason } from "../api/route-table.ts";
import { versionWithPorts } from "../build/listen-ports.ts";

/** Input of {@link decideProgrammed}. */
export interface RoutesInput {
  /** False until the key is chosen, and while an older object owns it. */
  readonly ownsKey: boolean;
  /** Keys of the Services whose tables contain routes of the object. */
  readonly services: readonly string[];
  /** Keys of the Services whose tables omit the object because they would be too large. */
  readonly refusedServices: readonly string[];
  /** Returns the published table of a Service. */
  table(this: void, service: string): CachedRouteTable | undefined;
  /** Returns the version that the table should have. */
  compiledVersion(this: void, service: string): string | undefined;
  /**
   * Keys of the Services whose routes change when the pending status is written. They are compiled after that, so the present tables do not contain
   * them.
   */
  readonly uncompiledServices?: readonly string[] | undefined;
  /**
   * Returns the newest version of the table in which all proxies confirmed the current routes of the object; undefined if there is none. A later
   * version that changes only routes of other objects does not affect these.
   */
  confirmedVersion?(this: void, service: string): string | undefined;
}

/** Reasons why routes are not programmed, in the order in which they are reported. */
export type RouteProblemReason =
  | "RoutingKeyConflict"
  | "TableTooLarge"
  | "SelectorReverted"
  | "TakeoverRestored"
  | "NotEligible"
  | "TargetPortsNotNamed"
  | "MeshNotFound"
  | "MeshRejected"
  | "WaitingForMesh"
  | "WaitingForProxies";

/** Reasons that resolve themselves without action. */
const waitingReasons: ReadonlySet<RouteProblemReason> = new Set(["WaitingForProxies", "WaitingForMesh"]);

/** The state of all routes of one object. */
export interface ProgrammedRoutes {
  readonly state: "programmed" | "noRoutes" | "waiting" | "failed";
  /** Set unless the state is `programmed` or `noRoutes`. */
  readonly reason: RouteProblemReason | undefined;
  readonly message: string;
  /** True if a mesh does not read keys in all headers, which the message mentions. */
  readonly isHeaderLimited: boolean;
  /** Number of tables, and of confirmations by proxies of all of them. */
  readonly tables: number;
  readonly synced: number;
  readonly total: number;
  /** Keys of the Services whose tables all proxies have confirmed in the current version. */
  readonly confirmed: readonly string[];
  /** Mesh objects by provider: their number, and how many of them the mesh has accepted. */
  readonly meshes: readonly MeshCounts[];
}

/** Objects of one provider. */
export interface MeshCounts {
  readonly name: string;
  readonly objects: number;
  readonly accepted: number;
}

/** Decides whether all routes of an object are in force. If there are several problems, the one that most needs action is reported. */
export function decideProgrammed(input: RoutesInput): ProgrammedRoutes {
  const { ownsKey, refusedServices, uncompiledServices = [] } = input;
  const services = [...new Set([...input.services, ...uncompiledServices])];
  const states = services.map((service) => stateOf(service, input));
  const tables = services.flatMap((service) => input.table(service) ?? []);
  const limited = tables
    .flatMap(({ status }) => status?.mesh?.limitations ?? [])
    .find(({ name }) => name === headerFormsLimited);
  const counts = {
    isHeaderLimited: limited !== undefined,
    tables: services.length,
    synced: sum(states.map(({ synced }) => synced)),
    total: sum(states.map(({ total }) => total)),
    meshes: countMeshes(tables.flatMap(({ status }) => status?.mesh ?? [])),
    confirmed: services.filter((_, index) => states[index]?.isConfirmed === true),
  };
  if (!ownsKey) {
    const message = "An older sandbox or RouteGroup has the same routing key; no request is routed";
    return { ...counts, state: "failed", reason: "RoutingKeyConflict", message };
  }
  const [refused] = refusedServices;
  if (refused !== undefined) {
    const message = `The route table of Service ${refused} would be too large; remove routes or sandboxes`;
    return { ...counts, state: "failed", reason: "TableTooLarge", message };
  }
  if (services.length === 0)
    return { ...counts, state: "noRoutes", reason: undefined, message: "No Service has routes" };
  const problems = states.flatMap(({ problem }) => problem ?? []);
  const problem = problems.find(({ reason }) => !waitingReasons.has(reason)) ?? problems[0];
  if (problem === undefined) {
    const message = `The routes of ${services.length} Services are in force${limited === undefined ? "" : `; ${limited.message}`}`;
    return { ...counts, state: "programmed", reason: undefined, message };
  }
  const state = waitingReasons.has(problem.reason) ? "waiting" : "failed";
  return { ...counts, state, ...problem };
}

const headerFormsLimited: LimitationName = "HeaderFormsLimited";

interface TableState {
  readonly synced: number;
  readonly total: number;
  /** True if all proxies have confirmed the current version. */
  readonly isConfirmed: boolean;
  readonly problem: { readonly reason: RouteProblemReason; readonly message: string } | undefined;
}

function stateOf(service: string, input: RoutesInput): TableState {
  const { table: read, compiledVersion, uncompiledServices = [], confirmedVersion = () => undefined } = input;
  const table = read(service);
  const { synced = 0, total = 0 } = table?.status?.proxies ?? {};
  const failed = (reason: RouteProblemReason, message: string): TableState => ({
    synced,
    total,
    isConfirmed: false,
    problem: { reason, message },
  });
  const inForce = { synced, total, problem: undefined };
  // All steps share one message: a different message per step would cause a status write per step.
  const publishing = failed("WaitingForProxies", `The route table of Service ${service} is being published`);
  if (table === undefined || uncompiledServices.includes(service)) return publishing;
  const { version } = table.spec;
  const confirmed = confirmedVersion(service);
  const compiled = compiledVersion(service);
  const isChanging = compiled === undefined || version !== versionWithPorts(compiled, table.status?.listenPorts);
  if (isChanging) return confirmed === undefined ? publishing : { ...inForce, isConfirmed: false };
  const programmed = findCondition(table.status?.conditions ?? [], "Programmed");
  const isCurrent = (programmed?.observedGeneration ?? 0) >= (table.metadata.generation ?? 0);
  if (isCurrent && programmed?.status === "True") return { ...inForce, isConfirmed: true };
  const conflict = findCondition(table.status?.conditions ?? [], "Conflict");
  if (isCurrent && conflict?.status === "True") return failed("SelectorReverted", conflict.message);
  const takenOver = findCondition(table.status?.conditions ?? [], "TakenOver");
  if (
    isCurrent &&
    table.spec.interception === "Takeover" &&
    (takenOver?.reason === "NotEligible" || takenOver?.reason === "TakeoverRestored")
  )
    return failed(takenOver.reason, takenOver.message);
  const reason = isCurrent ? reasonOf(programmed?.reason) : "WaitingForProxies";
  // Proxies and meshes that have not confirmed this version still use the older one, which contains the same routes of this object.
  const isOlderInForce = confirmed !== undefined && confirmed !== version;
  const isWaiting = reason === "WaitingForProxies" || reason === "WaitingForMesh";
  if (isWaiting && isOlderInForce) return { ...inForce, isConfirmed: false };
  // The conditions are older than the table. If all proxies have confirmed its routes, only its preview hosts have changed.
  if (!isCurrent) return confirmed === undefined ? publishing : { ...inForce, isConfirmed: false };
  return failed(reason, programmed?.message ?? `The proxies of Service ${service} have not confirmed its routes`);
}

function countMeshes(
  found: readonly { readonly provider: string; readonly objects: number; readonly accepted: number }[],
): readonly MeshCounts[] {
  return [...new Set(found.map(({ provider }) => provider))].sort().map((name) => {
    const own = found.filter(({ provider }) => provider === name);
    return {
      name,
      objects: sum(own.map(({ objects }) => objects)),
      accepted: sum(own.map(({ accepted }) => accepted)),
    };
  });
}

function reasonOf(reason: RouteTableReason | undefined): RouteProblemReason {
  switch (reason) {
    case "MeshNotFound":
    case "MeshRejected":
    case "WaitingForMesh":
    case "TargetPortsNotNamed":
      return reason;
    default:
      return "WaitingForProxies";
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
