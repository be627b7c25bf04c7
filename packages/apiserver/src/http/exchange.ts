import type { Readable } from "node:stream";
import { type Clock, DeadlineError, type Random, uuid } from "@homeostat/core";
import { wantsPretty } from "../request/pretty.ts";
import { parseQuery } from "../request/query.ts";
import { isLongRunning, requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import { requestTimeoutMs } from "../request/request-timeout.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { handleWithFaults, type Faults } from "./faults.ts";
import {
  type HandlerResponse,
  type Handler,
  headerOf,
  plainText,
  type RequestHeaders,
  type ServerRequest,
  textError,
} from "./handler.ts";
import { hostOf, hostProblem } from "./host-check.ts";
import type { HttpObserver } from "./observer.ts";
import type { Peer } from "./peer.ts";
import { notFound, type RawResponse } from "./raw-response.ts";
import { readBody } from "./read-body.ts";
import { panicked, shuttingDown, statusResponse, timedOut } from "./status-response.ts";

/** Dependencies and limits for handling requests. */
export interface ExchangeSettings {
  readonly handler: Handler;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: HttpObserver;
  readonly faults: Faults;
  /** Host names in addition to those of this machine for which requests are accepted, normalized with `normalHost`. */
  readonly hosts: ReadonlySet<string>;
  readonly bodyBytesMax: number;
  /** Time limit in milliseconds of a request that is not long-running (a watch, or a stream such as logs). */
  readonly timeoutMs: number;
}

/** A request as the protocol layer received it, over HTTP/1.1 or HTTP/2. */
export interface IncomingRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Value of the `Host` header or of HTTP/2's `:authority`. */
  readonly host: string | undefined;
  readonly peer: Peer;
  readonly input: Readable;
  /** Closes the connection abruptly; with HTTP/2, only the stream of this request. */
  readonly cut: () => void;
  /** Response to a request that is malformed at the protocol level. It is sent without calling the handler. */
  readonly problem?: RawResponse;
}

/** A request that is being handled. */
export interface Exchange {
  readonly auditId: string;
  /** Undefined if the request was refused before it was parsed. */
  readonly request: ServerRequest | undefined;
  readonly isLong: boolean;
  /** True if the response was created before any handler, and has no headers but its own. */
  readonly isBare: boolean;
  readonly response: Promise<HandlerResponse | "cut">;
  /** Aborts the handler, because no client waits for the response. */
  readonly controller: AbortController;
}

const bad: RawResponse = { status: "400 Bad Request" };

/**
 * Starts to handle a request. Neither this function nor the promised response throws: errors become responses.
 *
 * The order of the checks follows kube-apiserver: Go's HTTP server rejects malformed requests with plain text first,
 * then the filters of the API server respond with a `Status`.
 */
export function beginExchange(incoming: IncomingRequest, settings: ExchangeSettings, isStopping: boolean): Exchange {
  const controller = new AbortController();
  const auditId = auditIdOf(incoming.headers, settings.random);
  const refusal = (response: HandlerResponse, isBare = false): Exchange => {
    return { auditId, request: undefined, isLong: false, isBare, response: Promise.resolve(response), controller };
  };
  const refuseBare = ({ status, body = status }: RawResponse): Exchange =>
    refusal({ status: Number(status.slice(0, 3)), headers: { "Content-Type": plainText }, body }, true);
  const { problem } = incoming;
  if (problem !== undefined) return refuseBare(problem);
  const target = parseRequestTarget(incoming.target);
  if (target === undefined) {
    // `OPTIONS *` asks for the capabilities of the server as a whole (RFC 9110, section 9.3.7). Go responds before any
    // handler.
    if (incoming.target !== "*") return refuseBare(bad);
    return incoming.method === "OPTIONS" ? refusal({ status: 200, body: "" }, true) : refuseBare(notFound);
  }
  const query = parseQuery(target.queryText);
  const isPretty = wantsPretty(query, headerOf(incoming.headers, "user-agent"));
  const refuse = (status: ServerStatus): Exchange => refusal(statusResponse(status, { isPretty }));
  const host = hostOf(target.host ?? incoming.host ?? "");
  if (host === undefined)
    return refuseBare(target.host === undefined ? { ...bad, body: "400 Bad Request: malformed Host header" } : bad);
  const misdirected = hostProblem(host, settings.hosts);
  if (misdirected !== undefined) return refuse(misdirected);
  if (isStopping) return refuse(shuttingDown);

  const { bodyBytesMax, clock } = settings;
  const { signal } = controller;
  let body: Promise<Uint8Array> | undefined;
  try {
    const info = requestInfo({ method: incoming.method, target, query });
    const isLong = isLongRunning(info);
    const request: ServerRequest = {
      method: incoming.method,
      uri: target.uri,
      query,
      headers: incoming.headers,
      info,
      auditId,
      peer: incoming.peer,
      isPretty,
      body: () => (body ??= readBody(incoming.input, { bytesMax: bodyBytesMax, signal })),
    };
    const timeoutMs = isLong ? Infinity : requestTimeoutMs(query, settings.timeoutMs);
    const timer = clock.schedule(timeoutMs, () => controller.abort(new DeadlineError(timeoutMs)));
    const response = handleRequest(request, controller, settings).finally(() => timer[Symbol.dispose]());
    return { auditId, request, isLong, isBare: false, response, controller };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { reason, code = 500 } = error.status;
    return reason === undefined ? refusal(textError(code, error.message), true) : refuse(error.status);
  }
}

/** Returns the response of the handler, or an error response if the handler throws or exceeds the time limit. */
async function handleRequest(
  request: ServerRequest,
  controller: AbortController,
  settings: ExchangeSettings,
): Promise<HandlerResponse | "cut"> {
  const { signal } = controller;
  let onAbort: (() => void) | undefined;
  const timeoutResponse = new Promise<HandlerResponse>((resolve) => {
    onAbort = () => resolve(statusResponse(timedOut, { isPretty: request.isPretty }));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([handleWithFaults(request, signal, settings), timeoutResponse]);
  } catch (error) {
    // A 406 is always formatted for humans, as in kube-apiserver.
    if (error instanceof StatusError)
      return statusResponse(error.status, { isPretty: request.isPretty || error.status.code === 406 });
    // An error after the abort is a consequence of it. The response is the timeout.
    if (signal.aborted) return await timeoutResponse;
    settings.observer.panicked?.(request, error);
    return statusResponse(panicked, { isPretty: request.isPretty });
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

/** Returns the audit id from the client's header if it is a valid header value to send back; otherwise a new one. */
export function auditIdOf(headers: RequestHeaders, random: Random): string {
  const given = headerOf(headers, "audit-id") ?? "";
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/.test(given) ? given : uuid(random);
}
