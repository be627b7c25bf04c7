import {
  type CompiledRoute,
  type Decision,
  decide,
  endHold,
  type FailDecision,
  type FaultPlan,
  type HoldDecision,
  planForwarding,
  routeHeader,
  routeHeaderName,
  unavailableText,
} from "@homeostat/routing";
import type { HeldPlan, Holds } from "./holds.ts";
import { grpcStatusOf } from "./grpc-status.ts";
import type {
  Destination,
  HoldPlan,
  IncomingRequest,
  RequestRecord,
  RespondPlan,
  RoutePlan,
  Router,
} from "./route-plan.ts";
import type { RouteObserver } from "./route-observer.ts";
import type { RoutedPort, RouteTables, TablesSnapshot } from "./route-tables.ts";

/** Options of a {@link TableRouter}. */
export interface TableRouterOptions {
  readonly tables: RouteTables;
  /** Port on which the proxy listens, which identifies Service and port; or a function that returns the port of a Service. */
  readonly listen: number | (() => RoutedPort | undefined);
  readonly holds: Holds;
  readonly observer?: RouteObserver | undefined;
}

const noFields: readonly never[] = [];
const unknown: Destination = { namespace: "", service: "", kind: "baseline", sandbox: "", workload: "" };
const retryLater = ["retry-after", "5"] as const;
const grpcUnavailable = 14;
const grpcInternal = 13;

/** A request with the tables that it is decided with. */
interface Context {
  readonly snapshot: TablesSnapshot;
  readonly port: RoutedPort;
  readonly request: IncomingRequest;
}

/** Chooses the destinations of the requests of one listener from the route tables. */
export class TableRouter implements Router {
  readonly #options: TableRouterOptions;
  /** The last table of this port. Connections that stay open after its removal go on with it. */
  #last: RoutedPort | undefined;

  constructor(options: TableRouterOptions) {
    this.#options = options;
  }

  /** Address that receives connections without a key. */
  get baseline(): string | undefined {
    return this.#port()?.baselineTargets[0];
  }

  /** True if the application behind the port speaks HTTP/2 only. */
  get isHttp2(): boolean {
    return this.#port()?.isHttp2 === true;
  }

  route(request: IncomingRequest): RoutePlan {
    const port = this.#port();
    if (port === undefined) return respond(unknown, { status: 503, body: "This port has no route table.\n" });
    const context: Context = { snapshot: this.#options.tables.current, port, request };
    const decision = decide(port.port, request, context.snapshot.context);
    const plan = this.#follow(decision, context);
    const record = this.#options.observer?.record?.(request, decision, plan.destination);
    return record === undefined ? plan : withRecord(plan, record);
  }

  #port(): RoutedPort | undefined {
    const { tables, listen } = this.#options;
    const port = typeof listen === "number" ? tables.current.ports.get(listen) : listen();
    if (port !== undefined) this.#last = port;
    return port ?? this.#last;
  }

  #follow(decision: Decision, context: Context): RoutePlan {
    if (decision.type === "unavailable" && decision.action === "Hold") return this.#hold(decision, context);
    return this.#end(decision, context);
  }

  #end(decision: Exclude<Decision, HoldDecision>, context: Context): HeldPlan {
    const { port, snapshot } = context;
    if (decision.type === "baseline")
      return forward(decision, context, port.baselineTargets, {
        destination: port.baseline,
        workload: port.baselineWorkload,
      });
    const labels = this.#options.tables.labelsOf(decision.route, port);
    this.#options.observer?.routed(labels.destination);
    if (decision.type === "unavailable") return unavailable(decision, labels.destination, snapshot);
    const abort = decision.fault && abortPlan(decision.fault, context, decision, labels.destination);
    return abort ?? forward(decision, context, decision.targets, labels);
  }

  #hold(decision: HoldDecision, context: Context): HoldPlan {
    const { tables, holds } = this.#options;
    const { port, snapshot } = context;
    const { destination, workload } = tables.labelsOf(decision.route, port);
    const fail: FailDecision = { ...decision, action: "Fail" };
    return {
      type: "hold",
      destination,
      workload,
      wait: (signal, bytes = 0, client) =>
        holds.wait(
          {
            destination,
            workload,
            bytes,
            holdMs: decision.holdMs,
            retry: () => this.#retry(decision, context),
            expired: () => this.#end(endHold(decision), context),
            overflow: () => ({
              ...unavailable(fail, destination, snapshot, "too many requests wait for it"),
              reason: "hold_overflow",
            }),
          },
          signal,
          client,
        ),
    };
  }

  /** Decides about a held request with the new tables. Returns undefined as long as its route has no target. */
  #retry({ key, route }: HoldDecision, { request }: Context): HeldPlan | undefined {
    const port = this.#port();
    if (port === undefined) return undefined;
    const same = port.port.routes.get(key.key)?.find((each) => isSameRoute(each, route));
    if (same?.targets.length === 0) return undefined;
    const context: Context = { snapshot: this.#options.tables.current, port, request };
    const decision = decide(port.port, request, context.snapshot.context);
    if (decision.type === "unavailable" && decision.action === "Hold") return undefined;
    return this.#end(decision, context);
  }
}

/** Returns a plan whose destination has the record of its request. */
function withRecord<P extends RoutePlan>(plan: P, record: RequestRecord): P {
  const destination = { ...plan.destination, record };
  if (plan.type !== "hold") return { ...plan, destination };
  return { ...plan, destination, wait: async (...parts) => withRecord(await plan.wait(...parts), record) };
}

function forward(
  decision: Decision,
  { snapshot, request, port }: Context,
  targets: readonly string[],
  { destination, workload }: { readonly destination: Destination; readonly workload: string },
): HeldPlan {
  const { keys, count } = snapshot.context;
  const { scheme, authority, isUpgrade } = request;
  const plan = planForwarding({ keys, request, decision, scheme, authority, isUpgrade, count });
  if (plan.type === "loop") {
    const body = "The request has passed too many proxies; there is a loop.\n";
    return { ...respond(destination, { status: 508, body }), grpcStatus: grpcInternal, reason: "loop" };
  }
  return {
    type: "forward",
    destination,
    workload,
    targets,
    upstreamProtocol: port.isHttp2 ? "http2" : request.protocol,
    ...(port.tls !== undefined && { upstreamProtocol: "http1" as const, upstreamTls: port.tls }),
    path: plan.path,
    edits: plan,
    responseHeaders: routeFields(decision, snapshot),
    delayMs: decision.type === "entry" ? (decision.fault?.delayMs ?? 0) : 0,
  };
}

function unavailable(
  decision: FailDecision,
  destination: Destination,
  snapshot: TablesSnapshot,
  detail?: string,
): RespondPlan {
  const headers = [...routeFields(decision, snapshot), retryLater];
  return { ...respond(destination, { status: 503, body: unavailableText(decision, detail) }), headers };
}

/** Returns the response of a fault, or undefined if the fault only delays this request. */
function abortPlan(
  { delayMs, abortCode, abortGrpcStatus }: FaultPlan,
  { request, snapshot }: Context,
  decision: Decision & { readonly route: CompiledRoute },
  destination: Destination,
): RespondPlan | undefined {
  // A gRPC status means nothing to other requests.
  if (abortCode === undefined && (abortGrpcStatus === undefined || !request.isGrpc)) return undefined;
  const status = abortCode ?? 200;
  return {
    type: "respond",
    destination,
    status,
    grpcStatus: abortGrpcStatus ?? grpcStatusOf(status),
    headers: routeFields(decision, snapshot),
    body: `Fault of sandbox ${decision.route.entry.sandbox}.\n`,
    delayMs,
  };
}

function respond(destination: Destination, { status, body }: Pick<RespondPlan, "status" | "body">): RespondPlan {
  const reason = "unavailable";
  return { type: "respond", destination, status, grpcStatus: grpcUnavailable, headers: [], body, delayMs: 0, reason };
}

function routeFields(decision: Decision, { context }: TablesSnapshot): readonly (readonly [string, string])[] {
  const value = routeHeader(decision, context.keys.settings);
  return value === undefined ? noFields : [[routeHeaderName, value]];
}

function isSameRoute({ entry }: CompiledRoute, { entry: other }: CompiledRoute): boolean {
  return (
    entry.sandbox === other.sandbox &&
    entry.workload === other.workload &&
    entry.source === other.source &&
    entry.routeGroup === other.routeGroup
  );
}
