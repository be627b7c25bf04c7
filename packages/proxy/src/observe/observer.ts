import type { ProxyErrorReason } from "../router/error-reason.ts";
import type { Destination, HttpProtocol } from "../router/route-plan.ts";

export type { ProxyErrorReason } from "../router/error-reason.ts";

/** Receives what happens in an engine. Implementations count; they never throw and never wait. */
export interface ProxyObserver {
  /** Called once per request, when its response has ended or failed. */
  requestEnded(end: RequestEnd): void;
  /** Called for every error that the proxy answered or closed a connection for. */
  failed(reason: ProxyErrorReason, destination: Destination | undefined): void;
}

/** A request that has ended. */
export interface RequestEnd {
  readonly destination: Destination;
  readonly protocol: HttpProtocol;
  readonly method: string;
  /** Status of the response; 0 if none was sent. */
  readonly status: number;
  /** From the end of the request head to the end of the response. */
  readonly durationMs: number;
  /** Time that the proxy added: from the request head to its forwarding, and from the response head to its forwarding. */
  readonly overheadMs: number;
}
