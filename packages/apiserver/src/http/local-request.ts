import { type Clock, DeadlineError, type Random } from "@homeostat/core";
import { parseQuery } from "../request/query.ts";
import { isLongRunning, requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import { requestTimeoutMs } from "../request/request-timeout.ts";
import { StatusError } from "../status/status.ts";
import { auditIdOf } from "./exchange.ts";
import { handleWithFaults, type Faults, type FaultyHandling } from "./faults.ts";
import { type HandlerResponse, type Handler, type RequestHeaders, type ServerRequest, textError } from "./handler.ts";
import type { ClientIdentity } from "./server-certificates.ts";
import { statusResponse, timedOut } from "./status-response.ts";

/** A request from the same process: no socket, no TLS, and the identity is trusted. */
export interface LocalRequest {
  readonly method: string;
  /** Path and query: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers?: RequestHeaders;
  readonly body?: Uint8Array | string;
  readonly identity: ClientIdentity;
}

/** Options of {@link handleLocally}. */
export interface LocalRequestOptions {
  readonly random: Random;
  /** Aborts when the caller stops waiting. */
  readonly signal: AbortSignal;
}

/** Injected faults for requests from the same process, and the clock for delays and the server's time limit. */
export interface LocalFaults {
  readonly faults: Faults;
  readonly clock: Clock;
}

const none = new Uint8Array();
/** Time limit of requests that are not long-running, the same as over a socket. */
const requestMsMax = 60_000;

/**
 * Passes a request from the same process to a handler and returns its response.
 *
 * A `StatusError` of the handler becomes a response; other errors are thrown. With `faults`, injected faults apply as
 * they do to a request over a socket; `cut` then means that the connection broke.
 */
export async function handleLocally(
  handler: Handler,
  { method, path, headers = {}, body = none, identity }: LocalRequest,
  { random, signal, faults, clock }: LocalRequestOptions & Partial<LocalFaults>,
): Promise<HandlerResponse | "cut"> {
  const target = parseRequestTarget(path);
  if (target === undefined) return textError(400, "400 Bad Request");
  const query = parseQuery(target.queryText);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const { user, group } = identity;
  const certificate = {
    isTrusted: true,
    commonName: user,
    organizations: group === undefined ? [] : [group],
    fingerprint: "",
  };
  try {
    const request = {
      method,
      uri: target.uri,
      query,
      headers,
      info: requestInfo({ method, target, query }),
      auditId: auditIdOf(headers, random),
      peer: { address: "127.0.0.1", certificate },
      isPretty: false,
      body: () => Promise.resolve(bytes),
    };
    if (faults === undefined || clock === undefined) return await handler(request, signal);
    return await handleInTime(request, signal, { handler, faults, clock });
  } catch (error) {
    if (error instanceof StatusError) return statusResponse(error.status);
    throw error;
  }
}

/**
 * Applies the server's time limit, but only while there are injected faults: without them, no local request waits that
 * long.
 */
async function handleInTime(
  request: ServerRequest,
  signal: AbortSignal,
  handling: FaultyHandling,
): Promise<HandlerResponse | "cut"> {
  const { clock, faults, handler } = handling;
  if (faults.isEmpty) return handler(request, signal);
  if (isLongRunning(request.info)) return handleWithFaults(request, signal, handling);
  const timeout = new AbortController();
  const timeoutMs = requestTimeoutMs(request.query, requestMsMax);
  using _ = clock.schedule(timeoutMs, () => timeout.abort(new DeadlineError(timeoutMs)));
  try {
    return await handleWithFaults(request, AbortSignal.any([signal, timeout.signal]), handling);
  } catch (error) {
    if (timeout.signal.aborted) return statusResponse(timedOut);
    throw error;
  }
}
