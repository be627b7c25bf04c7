// Whether the routes of a sandbox or a group are in force on all proxies.

import { findCondition } from "@homeostat/core";
import type { LimitationName } from "../api/limitation-names.ts";
import type { CachedRouteTable, RouteTableReason } from "../api/route-table.ts";

/** Input of {@link decideProgrammed}. */
export interface RoutesInput {
  /** False while the key is not chosen, and while an older object owns it. */
  readonly ownsKey: boolean;
  /** Keys of the Services whose tables contain routes of the object. */
  readonly services: readonly string[];
  /** Keys of the Services whose tables leave out the object because they would be too large. */
  readonly refusedServices: readonly string[];
  /** Returns the published table of a Service. */
  table(this: void, service: string): CachedRouteTable | undefined;
  /** Returns the version that the table should have. */
  compiledVersion(this: void, service: string): string | undefined;
}

/** Reasons for which routes are not in force, in the order in which they are reported. */
export type RouteProblemReason =
  | "RoutingKeyConflict"
  | "TableTooLarge"
  | "SelectorReverted"
  | "TakeoverRestored"
  | "NotEligible"
  | "MeshNotFound"
  | "MeshRejected"
  | "WaitingForMesh"
  | "WaitingForProxies";

/** Reasons that go away without action. */
const waitingReasons: ReadonlySet<RouteProblemReason> = new Set(["WaitingForProxies", "WaitingForMesh"]);

/** The state of all routes of one object. */
export interface ProgrammedRoutes {
  readonly state: "programmed" | "noRoutes" | "waiting" | "failed";
  /** Set unless the state is `programmed` or `noRoutes`. */
  readonly reason: RouteProblemReason | undefined;
  readonly message: string;
  /** True if a mesh does not read keys in all headers; the message says so. */
  readonly isHeaderLimited: boolean;
  /** Number of tables, and of confirmations by proxies of all of them. */
  readonly tables: number;
  readonly synced: number;
  readonly total: number;
  /** Mesh objects by provider: their number, and how many of them the mesh has accepted. */
  readonly meshes: readonly MeshCounts[];
}

/** Objects of one provider. */
export interface MeshCounts {
  readonly name: string;
  readonly objects: number;
  readonly accepted: number;
}

/** Decides whether all routes of an object are in force. Of several problems, the one that needs action most is reported. */
export function decideProgrammed(input: RoutesInput): ProgrammedRoutes {
  const { ownsKey, services, refusedServices } = input;
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
  readonly problem: { readonly reason: RouteProblemReason; readonly message: string } | undefined;
}

function stateOf(service: string, { table: read, compiledVersion }: RoutesInput): TableState {
  const table = read(service);
  const { synced = 0, total = 0 } = table?.status?.proxies ?? {};
  const waiting = (message: string): TableState => ({
    synced,
    total,
    problem: { reason: "WaitingForProxies", message },
  });
  if (table === undefined) return waiting(`The route table of Service ${service} is not published yet`);
  if (table.spec.version !== compiledVersion(service))
    return waiting(`The route table of Service ${service} is changing`);
  const programmed = findCondition(table.status?.conditions ?? [], "Programmed");
  const isCurrent = (programmed?.observedGeneration ?? 0) >= (table.metadata.generation ?? 0);
  if (!isCurrent) return waiting(`The state of the route table of Service ${service} is not known yet`);
  if (programmed?.status === "True") return { synced, total, problem: undefined };
  const conflict = findCondition(table.status?.conditions ?? [], "Conflict");
  if (conflict?.status === "True") {
    return { synced, total, problem: { reason: "SelectorReverted", message: conflict.message } };
  }
  const reason = reasonOf(programmed?.reason);
  const message = programmed?.message ?? `The proxies of Service ${service} have not confirmed its routes`;
  return { synced, total, problem: { reason, message } };
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
  if (reason === "MeshNotFound" || reason === "MeshRejected" || reason === "WaitingForMesh") return reason;
  return "WaitingForProxies";
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
