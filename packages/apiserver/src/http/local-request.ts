import { type Clock, DeadlineError, type Random, uuid } from "@homeostat/core";
import { parseQuery } from "../request/query.ts";
import { isLongRunning, requestInfo } from "../request/request-info.ts";
import { parseRequestTarget } from "../request/request-target.ts";
import { requestTimeoutMs } from "../request/request-timeout.ts";
import { StatusError } from "../status/status.ts";
import { answerWithFaults, type Faults, type FaultyHandling } from "./faults.ts";
import { type Answer, type Handler, type RequestHeaders, type ServerRequest, textError } from "./handler.ts";
import type { ClientIdentity } from "./server-certificates.ts";
import { statusAnswer, timedOut } from "./status-answer.ts";

/** A request from within the process: no socket, no TLS, and the sender is believed. */
export interface LocalRequest {
  readonly method: string;
  /** Path and query: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** By their names in small letters. */
  readonly headers?: RequestHeaders;
  readonly body?: Uint8Array | string;
  readonly identity: ClientIdentity;
}

/** How a request from within the process is handled. */
export interface LocalHandling {
  readonly random: Random;
  /** Aborts when the sender stops waiting. */
  readonly signal: AbortSignal;
}

/** Faults for requests from within the process, and the clock that measures delays and the time limit of the server. */
export interface LocalFaults {
  readonly faults: Faults;
  readonly clock: Clock;
}

const none = new Uint8Array();
/** The longest that a request may take which is no watch or stream, as over a socket. */
const requestMsMax = 60_000;

/**
 * Returns a handler's response to a request from within the process.
 *
 * What the handler refuses is a response; what it fails at is thrown. With `faults`, those ordered for the request act on it as
 * on one that comes over a socket; `cut` then stands for a connection that breaks.
 */
export async function answerLocally(
  handler: Handler,
  { method, path, headers = {}, body = none, identity }: LocalRequest,
  { random, signal, faults, clock }: LocalHandling & Partial<LocalFaults>,
): Promise<Answer | "cut"> {
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
      auditId: uuid(random),
      peer: { address: "127.0.0.1", certificate },
      isPretty: false,
      body: () => Promise.resolve(bytes),
    };
    if (faults === undefined || clock === undefined) return await handler(request, signal);
    return await answerInTime(request, signal, { handler, faults, clock });
  } catch (error) {
    if (error instanceof StatusError) return statusAnswer(error.status);
    throw error;
  }
}

/** Only faults make a request from within the process wait for so long that the time limit of the server matters. */
async function answerInTime(
  request: ServerRequest,
  signal: AbortSignal,
  handling: FaultyHandling,
): Promise<Answer | "cut"> {
  const { clock, faults, handler } = handling;
  if (faults.isEmpty) return handler(request, signal);
  if (isLongRunning(request.info)) return answerWithFaults(request, signal, handling);
  const late = new AbortController();
  const timeoutMs = requestTimeoutMs(request.query, requestMsMax);
  using _ = clock.schedule(timeoutMs, () => late.abort(new DeadlineError(timeoutMs)));
  try {
    return await answerWithFaults(request, AbortSignal.any([signal, late.signal]), handling);
  } catch (error) {
    if (late.signal.aborted) return statusAnswer(timedOut);
    throw error;
  }
}
