import type {
  Destination,
  ProxyErrorReason,
  ProxyObserver,
  RequestEnd,
  RequestRecord,
  RouteObserver,
} from "@homeostat/proxy";
import type { Clock, Random } from "@homeostat/core";
import { type Decision, readTraceparent } from "@homeostat/routing";
import type { Logger } from "@homeostat/runtime";
import { LogLimit } from "./log-limit.ts";
import type { LoggedSandboxes } from "./logged-sandboxes.ts";
import { type ProxySpan, spanOf } from "./proxy-span.ts";

export interface RequestRecordsOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly random: Random;
  readonly log: Logger;
  readonly logged: LoggedSandboxes;
  /** Exports spans; undefined if the proxy has no collector. */
  readonly spans?: { readonly add: (span: ProxySpan) => void } | undefined;
  /** Receives every event after the records were updated. */
  readonly next: ProxyObserver;
}

/**
 * Writes the access log and spans of the requests that ask for them. All other requests cost a comparison when they are routed and another one
 * when they end.
 */
export class RequestRecords implements ProxyObserver, Required<Pick<RouteObserver, "record">> {
  readonly #options: RequestRecordsOptions;
  readonly #failures = new WeakMap<RequestRecord, ProxyErrorReason>();
  readonly #limit: LogLimit;

  constructor(options: RequestRecordsOptions) {
    this.#options = options;
    this.#limit = new LogLimit(options.clock);
  }

  record(
    request: Parameters<NonNullable<RouteObserver["record"]>>[0],
    decision: Decision,
    shared: Destination,
  ): RequestRecord | undefined {
    const { logged, spans } = this.#options;
    const { route } = decision;
    const isLogged =
      route !== undefined &&
      (route.isLogged || (!logged.isEmpty && logged.has(`${shared.namespace}/${route.entry.sandbox}`)));
    const trace = spans === undefined ? undefined : readTraceparent(request.headers);
    const parent = trace?.isSampled === true ? trace : undefined;
    if (!isLogged && parent === undefined) return undefined;
    return { shared, reason: reasonOf(decision), isLogged, parent };
  }

  requestEnded(end: RequestEnd): void {
    const { record } = end.destination;
    if (record === undefined) return this.#options.next.requestEnded(end);
    if (record.isLogged) this.#log(end, record);
    if (record.parent !== undefined) this.#trace(end, record, record.parent);
    this.#options.next.requestEnded({ ...end, destination: record.shared });
  }

  failed(reason: ProxyErrorReason, destination: Destination | undefined): void {
    if (destination?.record !== undefined) this.#failures.set(destination.record, reason);
    this.#options.next.failed(reason, destination?.record?.shared ?? destination);
  }

  /** Writes a line of the access log: never the path, the query or values of headers. */
  #log({ method, status, durationMs, protocol }: RequestEnd, record: RequestRecord): void {
    const dropped = this.#limit.take();
    if (dropped === false) return;
    if (dropped > 0) this.#options.log.warn("Left out lines of the access log", { lines: dropped });
    const { namespace, service, kind, sandbox, workload } = record.shared;
    this.#options.log.info("Request", {
      namespace,
      service,
      method: method.slice(0, 32),
      code: status,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      destination: kind,
      ...(kind === "sandbox" ? { sandbox, workload } : {}),
      reason: this.#failures.get(record) ?? record.reason,
      protocol,
    });
  }

  #trace(end: RequestEnd, record: RequestRecord, parent: NonNullable<RequestRecord["parent"]>): void {
    const { clock, random, spans } = this.#options;
    const failure = this.#failures.get(record);
    spans?.add(spanOf(end, { record, parent, failure, endedAt: clock.now(), random }));
  }
}

function reasonOf(decision: Decision): string {
  if (decision.type === "entry") return "route";
  return decision.type === "baseline" ? decision.reason : "unavailable";
}
