import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { createGunzip } from "node:zlib";
import { type Clock, DeadlineError, NetworkError, type Timer } from "@homeostat/core";
import { awaitResponse } from "@homeostat/http";
import type { Request, Response, Timeouts } from "../transport/transport.ts";
import { readBody } from "./body.ts";
import { http } from "./node-http.ts";
import { pathOnly } from "./path-only.ts";
import { dialUntil } from "./proxy.ts";

/** Where and how one exchange takes place. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly isSecure: boolean;
  /** Host, port, agent and whatever else Node wants to know. */
  readonly target: RequestOptions;
  /** Every header of the request, credentials included. */
  readonly headers: Record<string, string | string[]>;
  /** Called once, when the exchange is over: the body was read or given up, or there was no answer. */
  readonly onEnd: () => void;
}

/**
 * Used where a request does not say. A watch says so for `idleMs` itself; there is never a limit on the whole.
 *
 * An API server gives a request 60 s and then answers that it was too long; we wait for that answer.
 */
export const defaultTimeouts: Required<Timeouts> = { connectMs: 10_000, headersMs: 70_000, idleMs: 60_000 };

/** How often a request that only reads is tried on connections out of the pool that turn out to be closed. */
const staleMax = 3;

/**
 * Sends one request and resolves with the head of the answer, whatever its status.
 *
 * Rejects with a {@link NetworkError} when no answer comes, and with the signal's reason when that aborts. A server may
 * close an idle connection at the very moment we use it: what only reads is then sent again on another one.
 */
export async function exchange(request: Request, options: ExchangeOptions): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const dialing = new AbortController();
    const sending = begin(request, options, dialing.signal);
    const stop = (): void => void sending.destroy();
    try {
      const message = await answerTo(sending, request, options);
      request.signal?.addEventListener("abort", stop, { once: true });
      if (request.signal?.aborted === true) stop();
      return toResponse(message, request, options, () => request.signal?.removeEventListener("abort", stop));
    } catch (error) {
      dialing.abort();
      const mayRepeat = request.method === "GET" && attempt < staleMax && request.signal?.aborted !== true;
      if (mayRepeat && isStale(sending, error)) continue;
      options.onEnd();
      throw error;
    }
  }
}

function begin(
  request: Request,
  { isSecure, target, headers, onEnd }: ExchangeOptions,
  dialSignal: AbortSignal,
): ClientRequest {
  const { method, path } = request;
  try {
    return (isSecure ? httpsRequest : http.request)({ ...target, ...dialUntil(dialSignal), method, path, headers });
  } catch (cause) {
    // A path or a header that cannot be written, or a certificate that cannot be read.
    onEnd();
    throw new NetworkError({ request: { method, path: pathOnly(path) }, requestSent: false }, { cause });
  }
}

function isStale(sending: ClientRequest, error: unknown): boolean {
  return (
    sending.reusedSocket &&
    error instanceof NetworkError &&
    (error.socketCode === "ECONNRESET" || error.socketCode === "EPIPE")
  );
}

/** Waits for a connection, writes the request and waits for the head of the answer, each within its limit. */
function answerTo(sending: ClientRequest, request: Request, options: ExchangeOptions): Promise<IncomingMessage> {
  const { clock, isSecure } = options;
  const { connectMs, headersMs } = { ...defaultTimeouts, ...request.timeouts };
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    let isSent = false;
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      timer?.[Symbol.dispose]();
      request.signal?.removeEventListener("abort", stop);
    };
    // Rejects here rather than in the request's own "error" event: one that has no connection yet never emits it.
    const giveUp = (reason: unknown): void => {
      settle();
      sending.destroy();
      reject(reason);
    };
    const stop = (): void => giveUp(request.signal?.reason);
    const fail = (cause: Error): void => {
      if (isSettled) return;
      const about = { method: request.method, path: pathOnly(request.path) };
      giveUp(new NetworkError({ request: about, requestSent: isSent ? undefined : false }, { cause }));
    };
    const limit = (ms: number, what: string): void => {
      timer?.[Symbol.dispose]();
      timer =
        ms === Infinity ? undefined : clock.schedule(ms, () => fail(new DeadlineError(ms, { cause: new Error(what) })));
    };
    const connected = (): void => {
      if (isSettled) return;
      try {
        request.beforeSending?.();
      } catch (refusal) {
        giveUp(refusal);
        return;
      }
      isSent = true;
      limit(headersMs, "no answer");
      sending.end(request.body);
    };
    sending.on("socket", (socket) => {
      if (isSettled) return;
      if (socket.connecting || (isSecure && "secureConnecting" in socket && socket.secureConnecting === true)) {
        socket.once(isSecure ? "secureConnect" : "connect", connected);
      } else connected();
    });
    awaitResponse(sending, {
      response: (message) => {
        settle();
        resolve(message);
      },
      failure: fail,
    });
    if (request.signal?.aborted === true) {
      stop();
      return;
    }
    request.signal?.addEventListener("abort", stop, { once: true });
    limit(connectMs, "no connection");
  });
}

function toResponse(
  message: IncomingMessage,
  request: Request,
  { clock, onEnd }: ExchangeOptions,
  release: () => void,
): Response {
  const idleMs = request.timeouts?.idleMs ?? defaultTimeouts.idleMs;
  const stream = message.headers["content-encoding"] === "gzip" ? message.pipe(createGunzip()) : message;
  const body = readBody({
    message,
    stream,
    request,
    clock,
    idleMs,
    onEnd: () => {
      release();
      onEnd();
    },
  });
  return { status: message.statusCode ?? 0, headers: joined(message), body };
}

function joined(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
