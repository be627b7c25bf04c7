import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { createGunzip } from "node:zlib";
import { type Clock, DeadlineError, NetworkError, type Timer } from "@homeostat/core";
import { awaitResponse } from "@homeostat/http";
import { defaultTimeouts, type Request, type Response } from "../transport/transport.ts";
import { readBody } from "./body.ts";
import { http } from "./node-http.ts";
import { pathWithoutQuery } from "../transport/path-without-query.ts";
import { dialUntil } from "../proxy/proxy.ts";

/** Options of {@link exchange}. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly isSecure: boolean;
  /** Host, port and agent. */
  readonly target: RequestOptions;
  /** All headers of the request, including credentials. */
  readonly headers: Record<string, string | string[]>;
  /** Called once when the exchange has ended: the body was read or canceled, or there was no response. */
  readonly onEnd: () => void;
}

/** The maximum number of attempts of a GET on pooled connections that turn out to be closed. */
const staleMax = 3;

/**
 * Sends a request with Node's HTTP client and resolves with the head of the response, whatever its status.
 *
 * Rejects with a {@link NetworkError} if there is no response, and with the signal's reason if it aborts. A server may close an
 * idle connection at the moment it is reused. A GET is then retried on another connection; a write is not, because the
 * server may have processed it.
 */
export async function exchange(request: Request, options: ExchangeOptions): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const dialing = new AbortController();
    const sending = begin(request, options, dialing.signal);
    const stop = (): void => void sending.destroy();
    try {
      const message = await responseTo(sending, request, options);
      request.signal?.addEventListener("abort", stop, { once: true });
      if (request.signal?.aborted === true) stop();
      return toResponse(message, request, options, () => request.signal?.removeEventListener("abort", stop));
    } catch (error) {
      dialing.abort();
      const mayRetry = request.method === "GET" && attempt < staleMax && request.signal?.aborted !== true;
      if (mayRetry && isStale(sending, error)) continue;
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
    // An invalid path or header, or an invalid certificate.
    onEnd();
    throw new NetworkError({ request: { method, path: pathWithoutQuery(path) }, requestSent: false }, { cause });
  }
}

function isStale(sending: ClientRequest, error: unknown): boolean {
  return (
    sending.reusedSocket &&
    error instanceof NetworkError &&
    (error.socketCode === "ECONNRESET" || error.socketCode === "EPIPE")
  );
}

/**
 * Waits for a connection, writes the request and waits for the head of the response, each with its time limit.
 *
 * The moment at which the first byte is written separates two kinds of failures, and `requestSent` in the error tells them apart:
 *
 *     dial, TLS handshake ──▶ beforeSending ──▶ first byte ──▶ head of the response
 *     └──── requestSent: false: a write was ───┘└─ requestSent: undefined: a write may have ─┘
 *           certainly not processed                 been processed; read the object first
 *
 * Therefore the request is ended only when the connection is ready. If it were ended at once, Node would keep it and write it by itself
 * as soon as the handshake is complete, and the fence of leader election (`beforeSending`) could not stop it any more.
 */
function responseTo(sending: ClientRequest, request: Request, options: ExchangeOptions): Promise<IncomingMessage> {
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
    // Rejects directly instead of in the "error" event of the request, which is never emitted before it has a socket.
    const giveUp = (reason: unknown): void => {
      settle();
      sending.destroy();
      reject(reason);
    };
    // The signal's reason is passed on unchanged: callers compare it to tell their own abort from a failure.
    const stop = (): void => giveUp(request.signal?.reason);
    const fail = (cause: Error): void => {
      if (isSettled) return;
      const about = { method: request.method, path: pathWithoutQuery(request.path) };
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
      limit(headersMs, "no response");
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
