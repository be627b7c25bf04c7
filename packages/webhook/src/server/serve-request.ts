import type { IncomingMessage } from "node:http";
import { type Clock, parseDuration, durationToMs, ParseError } from "@homeostat/core";
import { type Reply, statusReply } from "../review/reply.ts";
import type { WebhookObserver } from "./observer.ts";
import { readBody } from "./read-body.ts";
import type { Route } from "./routes.ts";

/** What one request is served with. */
export interface Serving {
  readonly routes: ReadonlyMap<string, Route>;
  readonly clock: Clock;
  readonly observer: WebhookObserver;
  /** The longest a webhook may think in milliseconds, if the API server does not say. It never waits longer than 30 s. */
  readonly timeoutMs: number;
  /** Aborts when the server gives up waiting for running requests. */
  readonly stopping: AbortSignal;
  readonly health: () => boolean | Promise<boolean>;
}

/** Answers one request of HTTP. Never rejects. */
export async function serveRequest(request: IncomingMessage, serving: Serving): Promise<Reply> {
  const url = new URL(request.url ?? "/", "https://localhost");
  if (url.pathname === "/healthz" || url.pathname === "/readyz") return answerHealth(serving);
  const route = serving.routes.get(url.pathname);
  if (route === undefined) return statusReply({ status: 404, reason: "NotFound", message: "no webhook has this path" });

  const { clock, observer } = serving;
  const started = clock.monotonic();
  observer.started?.(url.pathname);
  let reply: Reply;
  try {
    reply = await answer(request, route, { ...serving, timeoutMs: timeoutOf(url, serving.timeoutMs) });
  } catch (error) {
    observer.panicked?.(url.pathname, error);
    reply = statusReply({
      status: 500,
      reason: "InternalError",
      message: "the webhook failed; its log has the reason",
    });
  }
  for (const failure of reply.failures ?? []) observer.panicked?.(url.pathname, failure);
  for (const note of reply.notes ?? []) observer.noted?.(url.pathname, note);
  observer.finished?.(url.pathname, { status: reply.status, seconds: (clock.monotonic() - started) / 1000 });
  return reply;
}

async function answer(request: IncomingMessage, route: Route, serving: Serving): Promise<Reply> {
  if (request.method !== "POST") {
    return statusReply({ status: 405, reason: "MethodNotAllowed", message: "a webhook takes POST only" });
  }
  if (!(request.headers["content-type"] ?? "").toLowerCase().startsWith("application/json")) {
    return statusReply({
      status: 415,
      reason: "UnsupportedMediaType",
      message: "a webhook takes application/json only",
    });
  }
  const body = await readBody(request, route.bodyBytesMax);
  if (body === "cut off") return statusReply({ status: 400, reason: "BadRequest", message: "the body was cut off" });
  if (body === "too large") {
    const message = `the review is larger than ${route.bodyBytesMax} bytes; allow more where the webhook is served`;
    return statusReply({ status: 413, reason: "RequestEntityTooLarge", message });
  }
  return withDeadline((signal) => route.answer(body, signal), request, serving);
}

/** Runs a webhook until it answers, the API server gives up, or the server has to stop. */
async function withDeadline(
  run: (signal: AbortSignal) => Promise<Reply>,
  request: IncomingMessage,
  { clock, timeoutMs, stopping }: Serving,
): Promise<Reply> {
  using timeout = clock.timeout(timeoutMs);
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error("the caller closed the connection"));
  request.socket.once("close", leave);
  const signal = AbortSignal.any([timeout.signal, stopping, gone.signal]);
  let giveUp: (() => void) | undefined;
  const late = new Promise<Reply>((resolve) => {
    const message = `the webhook gave no answer within ${timeoutMs} ms`;
    giveUp = () => resolve(statusReply({ status: 504, reason: "Timeout", message }));
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([run(signal), late]);
  } finally {
    request.socket.off("close", leave);
    if (giveUp !== undefined) signal.removeEventListener("abort", giveUp);
  }
}

async function answerHealth({ health }: Serving): Promise<Reply> {
  let isHealthy = false;
  try {
    isHealthy = await health();
  } catch {
    // A check that cannot be made has not been passed.
  }
  return isHealthy
    ? { status: 200, body: '"ok"' }
    : statusReply({ status: 503, reason: "ServiceUnavailable", message: "not ready" });
}

/** An API server says in the URL how long it waits: `?timeout=10s`. */
function timeoutOf(url: URL, timeoutMs: number): number {
  const text = url.searchParams.get("timeout");
  if (text === null) return timeoutMs;
  try {
    const asked = durationToMs(parseDuration(text));
    return asked > 0 ? Math.min(asked, timeoutMs) : timeoutMs;
  } catch (error) {
    if (error instanceof ParseError) return timeoutMs;
    throw error;
  }
}
