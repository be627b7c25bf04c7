import type { Clock, Random } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Session } from "../access/access.ts";
import type { ObjectRef } from "../api/types.ts";
import type { Runbook } from "../runbook/runbook.ts";
import { readExplainQuery } from "../sandbox/explain-query.ts";
import {
  explainView,
  type Place,
  policiesView,
  propagationView,
  routeGroupView,
  routeMapView,
  sandboxesView,
  sandboxView,
  type Scope,
  systemView,
  tunnelsView,
  workloadsView,
} from "../sandbox/sandbox-views.ts";
import { logView } from "../views/log.ts";
import { overviewView } from "../views/overview.ts";
import { resourceView } from "../views/resource.ts";
import { Denials, followedBy, type RunView, type ViewContext } from "../views/view.ts";
import { driftView } from "../why/drift-view.ts";
import { type FindOperators, whyView } from "../why/why-view.ts";
import { RequestError } from "../errors.ts";
import { openComparison, openKindView } from "./kind-views.ts";
import { findObject, objectInQuery } from "./requested-object.ts";

/** Parts of the server that requests for data use. */
export interface ApiContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly runbook: Runbook;
  readonly findOperators: FindOperators;
}

/** A request for a view. */
export interface ViewRequest {
  readonly query: URLSearchParams;
  readonly session: Session;
  readonly context: ApiContext;
  readonly signal: AbortSignal;
}

/** Opens a view for the user of a session. Throws a {@link RequestError} if the query is not valid. */
export type OpenView = (request: ViewRequest) => RunView | Promise<RunView>;

/** Views by their names in paths: `/api/overview` has the first state, `/api/stream/overview` the changes as well. */
const views: ReadonlyMap<string, OpenView> = new Map<string, OpenView>([
  ["overview", openOverview],
  ["resource", openResource],
  ["why", openWhy],
  ["drift", openDrift],
  ["sandboxes", scoped(sandboxesView)],
  ["sandbox", placed(sandboxView)],
  ["route-group", placed(routeGroupView)],
  ["route-map", scoped(routeMapView)],
  ["tunnels", scoped(tunnelsView)],
  ["workloads", openWorkloads],
  ["policies", scoped(policiesView)],
  ["propagation", scoped(propagationView)],
  ["sandbox-system", scoped(systemView)],
  ["explain", (request) => explainView(viewContext(request), readExplainQuery(request.query))],
  ["log", openLog],
  ["compare", (request) => openComparison(request, viewContext(request))],
]);

/** Returns the view of a name; undefined if there is none. */
export function viewNamed(name: string): OpenView | undefined {
  return views.get(name);
}

function openOverview(request: ViewRequest): RunView {
  return overviewView(viewContext(request), { namespace: request.query.get("namespace") || undefined });
}

async function openResource(request: ViewRequest): Promise<RunView> {
  const { query, session, context, signal } = request;
  const { type, ref } = await findObject(session, objectInQuery(query), signal);
  const view = resourceView(viewContext(request), { type, ref, runbook: context.runbook });
  const kindView = openKindView(viewContext(request), { type, ref, findOperators: context.findOperators });
  const drift = driftView(viewContext(request), { ref, findOperators: context.findOperators });
  return followedBy(view, kindView === undefined ? drift : followedBy(kindView, drift));
}

async function openWhy(request: ViewRequest): Promise<RunView> {
  const { findOperators } = request.context;
  const ref = request.query.has("kind") ? await readableObject(request) : undefined;
  return whyView(viewContext(request), { ref, findOperators });
}

async function openDrift(request: ViewRequest): Promise<RunView> {
  const ref = await readableObject(request);
  return driftView(viewContext(request), { ref, findOperators: request.context.findOperators });
}

function openWorkloads(request: ViewRequest): RunView {
  const namespace = request.query.get("namespace") ?? "";
  if (namespace === "") throw new RequestError(400, "The query must have namespace.");
  return workloadsView(viewContext(request), namespace);
}

/** Opens the log of a container, if the user may read it. */
async function openLog(request: ViewRequest): Promise<RunView> {
  const { query, session, signal } = request;
  const { namespace, name } = placeOf(query);
  const container = query.get("container") || undefined;
  const { isAllowed } = await session.client.reviewOwnAccess(
    { verb: "get", type: Pod, subresource: "log", namespace, name },
    { signal },
  );
  if (!isAllowed) throw new RequestError(403, `You are not allowed to read the log of Pod ${namespace}/${name}.`);
  return logView(viewContext(request), { namespace, name, container });
}

/** Returns the object of a query. Operators do not know the user, so the API server decides whether the user may read it. */
async function readableObject({ query, session, signal }: ViewRequest): Promise<ObjectRef> {
  const { type, ref } = await findObject(session, objectInQuery(query), signal);
  const { namespace, name } = ref;
  const { isAllowed } = await session.client.reviewOwnAccess({ verb: "get", type, namespace, name }, { signal });
  if (!isAllowed) throw new RequestError(403, `You are not allowed to read ${ref.kind} ${name}.`);
  return ref;
}

/** Opens a view of one namespace, or of all namespaces. */
function scoped(open: (context: ViewContext, namespace: Scope) => RunView): OpenView {
  return (request) => open(viewContext(request), request.query.get("namespace") || undefined);
}

/** Opens a view of a namespaced object. */
function placed(open: (context: ViewContext, place: Place) => RunView): OpenView {
  return (request) => open(viewContext(request), placeOf(request.query));
}

function placeOf(query: URLSearchParams): Place {
  const [namespace, name] = [query.get("namespace") ?? "", query.get("name") ?? ""];
  if (namespace === "" || name === "") throw new RequestError(400, "The query must have namespace and name.");
  return { namespace, name };
}

function viewContext({ session: { client, connection }, context: { clock, random } }: ViewRequest): ViewContext {
  return { client, connection, clock, random, denials: new Denials() };
}
