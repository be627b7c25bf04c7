import type { IncomingMessage } from "node:http";
import { type Clock, cutText, parseDuration, durationToMs, ParseError } from "@homeostat/core";
import { busyResponse, type ChunkedResponse, statusResponse } from "../review/response.ts";
import type { SliceScheduler } from "../work/slices.ts";
import { type ClientCertificates, clientProblem } from "./client-certificate.ts";
import type { InFlight, RequestLease } from "./in-flight.ts";
import type { WebhookObserver } from "./observer.ts";
import { discardBody, readBody } from "./read-body.ts";
import type { Route } from "./routes.ts";

/** Dependencies of request handling. */
export interface Serving {
  readonly routes: ReadonlyMap<string, Route>;
  readonly clock: Clock;
  readonly observer: WebhookObserver;
  readonly inFlight: InFlight;
  readonly slices: SliceScheduler;
  /** Time limit of a webhook in milliseconds, if the API server sends none. API servers never wait longer than 30 s. */
  readonly timeoutMs: number;
  /** Aborts when the server stops waiting for running requests. */
  readonly stopping: AbortSignal;
  readonly health: () => boolean | Promise<boolean>;
  /** Undefined if every client may call admission webhooks. */
  readonly clientCertificates: () => ClientCertificates | undefined;
}

/** A response, and the resources that the request holds until the response is written. */
export interface Served {
  readonly response: ChunkedResponse;
  readonly lease?: RequestLease | undefined;
}

const noteLengthMax = 1024;

/** Handles one HTTP request. Never rejects. Calls `onReceived` when the body of a review has arrived. */
export async function serveRequest(
  request: IncomingMessage,
  serving: Serving,
  onReceived: () => void = () => undefined,
): Promise<Served> {
  const url = new URL(request.url ?? "/", "https://localhost");
  if (url.pathname === "/healthz" || url.pathname === "/readyz") return { response: await healthResponse(serving) };
  const route = serving.routes.get(url.pathname);
  if (route === undefined) {
    return { response: statusResponse({ status: 404, reason: "NotFound", message: "no webhook has this path" }) };
  }

  const { clock, observer } = serving;
  const started = clock.monotonic();
  observer.started?.(url.pathname);
  const lease = serving.inFlight.open(request.socket.remoteAddress ?? "");
  let response: ChunkedResponse;
  try {
    const { timeoutMs } = serving;
    response = await handleReview(request, {
      route,
      lease,
      onReceived,
      serving: { ...serving, timeoutMs: timeoutOf(url, timeoutMs) },
    });
  } catch (error) {
    observer.panicked?.(url.pathname, error, 1);
    response = statusResponse({
      status: 500,
      reason: "InternalError",
      message: "the webhook failed; see its log for the reason",
    });
  }
  const { failures = [], notes = [] } = response;
  if (failures.length > 0) observer.panicked?.(url.pathname, failures[0], failures.length);
  if (notes.length > 0) observer.noted?.(url.pathname, cutText(notes.join("; "), noteLengthMax));
  observer.finished?.(url.pathname, { status: response.status, seconds: (clock.monotonic() - started) / 1000 });
  return { response, lease };
}

interface Work {
  readonly route: Route;
  readonly lease: RequestLease;
  readonly serving: Serving;
  readonly onReceived: () => void;
}

async function handleReview(
  request: IncomingMessage,
  { route, lease, serving, onReceived }: Work,
): Promise<ChunkedResponse> {
  const refusal = refusalOf(request, route, serving);
  if (refusal !== undefined) return refusal;
  const reserve = (bytes: number): boolean => lease.reserve(bytes);
  const body = await readBody(request, { bytesMax: route.bodyBytesMax, reserve });
  if (body === "cut off")
    return statusResponse({ status: 400, reason: "BadRequest", message: "the body is incomplete" });
  if (body === "no memory") {
    await discardBody(request);
    return busyResponse();
  }
  if (body === "too large") {
    const message = `the review exceeds the limit of ${route.bodyBytesMax} bytes`;
    return statusResponse({ status: 413, reason: "RequestEntityTooLarge", message });
  }
  if (!lease.start()) return busyResponse();
  onReceived();
  return withDeadline((signal) => route.handle(body, { signal, slices: serving.slices, reserve }), request, serving);
}

/** Returns the refusal of a request because of its headers; undefined if it is acceptable. */
function refusalOf(
  request: IncomingMessage,
  { needsClientCertificate }: Route,
  { clientCertificates }: Serving,
): ChunkedResponse | undefined {
  const certificates = needsClientCertificate ? clientCertificates() : undefined;
  const problem = certificates === undefined ? undefined : clientProblem(request, certificates);
  if (problem !== undefined) return statusResponse({ status: 403, reason: "Forbidden", message: problem });
  if (request.method !== "POST") {
    return statusResponse({ status: 405, reason: "MethodNotAllowed", message: "webhooks accept only POST" });
  }
  if (!(request.headers["content-type"] ?? "").toLowerCase().startsWith("application/json")) {
    return statusResponse({
      status: 415,
      reason: "UnsupportedMediaType",
      message: "webhooks accept only application/json",
    });
  }
  return undefined;
}

/** Runs a webhook until it responds, the API server gives up, or the server has to stop. */
async function withDeadline(
  run: (signal: AbortSignal) => Promise<ChunkedResponse>,
  request: IncomingMessage,
  { clock, timeoutMs, stopping }: Serving,
): Promise<ChunkedResponse> {
  using timeout = clock.timeout(timeoutMs);
  const disconnected = new AbortController();
  const onClose = (): void => disconnected.abort(new Error("the client closed the connection"));
  request.socket.once("close", onClose);
  const signal = AbortSignal.any([timeout.signal, stopping, disconnected.signal]);
  let onAbort: (() => void) | undefined;
  const timedOut = new Promise<ChunkedResponse>((resolve) => {
    const message = `the webhook did not respond within ${timeoutMs} ms`;
    onAbort = () => resolve(statusResponse({ status: 504, reason: "Timeout", message }));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([run(signal), timedOut]);
  } finally {
    request.socket.off("close", onClose);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

async function healthResponse({ health }: Serving): Promise<ChunkedResponse> {
  let isHealthy = false;
  try {
    isHealthy = await health();
  } catch {
    // A check that throws has failed.
  }
  return isHealthy
    ? { status: 200, body: '"ok"' }
    : statusResponse({ status: 503, reason: "ServiceUnavailable", message: "not ready" });
}

/** Returns the time limit of a request, which an API server sends in the URL: `?timeout=10s`. */
function timeoutOf(url: URL, timeoutMs: number): number {
  const text = url.searchParams.get("timeout");
  if (text === null) return timeoutMs;
  try {
    const requestedMs = durationToMs(parseDuration(text));
    return requestedMs > 0 ? Math.min(requestedMs, timeoutMs) : timeoutMs;
  } catch (error) {
    if (error instanceof ParseError) return timeoutMs;
    throw error;
  }
}
