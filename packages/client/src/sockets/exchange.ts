import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { createGunzip } from "node:zlib";
import { type Clock, DeadlineError, NetworkError, type Timer } from "@homeostat/core";
import type { Request, Response, Timeouts } from "../transport/transport.ts";
import { readBody } from "./body.ts";
import { pathOnly } from "./path-only.ts";

/** Where and how one exchange takes place. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly isSecure: boolean;
  /** Host, port, agent and whatever else Node wants to know. */
  readonly target: RequestOptions;
  /** Every header of the request, credentials included. */
  readonly headers: Record<string, string | string[]>;
}

/** Used where a request does not say. A watch says so for `idleMs` itself; there is never a limit on the whole. */
export const defaultTimeouts: Required<Timeouts> = { connectMs: 10_000, headersMs: 60_000, idleMs: 60_000 };

/**
 * Sends one request and resolves with the head of the answer, whatever its status.
 *
 * Rejects with a {@link NetworkError} when no answer comes, and with the signal's reason when that aborts.
 */
export async function exchange(
  request: Request,
  { clock, isSecure, target, headers }: ExchangeOptions,
): Promise<Response> {
  request.signal?.throwIfAborted();
  const timeouts = { ...defaultTimeouts, ...request.timeouts };
  const sending = (isSecure ? httpsRequest : httpRequest)({
    ...target,
    method: request.method,
    path: request.path,
    headers,
  });
  const stop = (): void => void sending.destroy(toError(request.signal?.reason));
  request.signal?.addEventListener("abort", stop, { once: true });
  try {
    const message = await answerTo(sending, request, { clock, timeouts, isSecure });
    const stream = message.headers["content-encoding"] === "gzip" ? message.pipe(createGunzip()) : message;
    const body = readBody({
      message,
      stream,
      request,
      clock,
      idleMs: timeouts.idleMs,
      onEnd: () => request.signal?.removeEventListener("abort", stop),
    });
    return { status: message.statusCode ?? 0, headers: joined(message), body };
  } catch (error) {
    request.signal?.removeEventListener("abort", stop);
    request.signal?.throwIfAborted();
    throw error;
  }
}

interface Waiting {
  readonly clock: Clock;
  readonly timeouts: Required<Timeouts>;
  readonly isSecure: boolean;
}

/** Writes the request and waits for the head of the answer, within the limits for connecting and for the head. */
function answerTo(
  sending: ClientRequest,
  request: Request,
  { clock, timeouts, isSecure }: Waiting,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    let isConnected = false;
    const limit = (ms: number, what: string): void => {
      timer?.[Symbol.dispose]();
      timer =
        ms === Infinity
          ? undefined
          : clock.schedule(ms, () => sending.destroy(new DeadlineError(ms, { cause: new Error(what) })));
    };
    limit(timeouts.connectMs, "no connection");
    sending.on("socket", (socket) => {
      const connected = (): void => {
        isConnected = true;
        limit(timeouts.headersMs, "no answer");
      };
      if (socket.connecting || (isSecure && "secureConnecting" in socket && socket.secureConnecting === true)) {
        socket.once(isSecure ? "secureConnect" : "connect", connected);
      } else connected();
    });
    sending.on("response", (message) => {
      timer?.[Symbol.dispose]();
      resolve(message);
    });
    sending.on("error", (cause) => {
      timer?.[Symbol.dispose]();
      reject(
        new NetworkError(
          {
            request: { method: request.method, path: pathOnly(request.path) },
            ...(isConnected ? {} : { requestSent: false }),
          },
          { cause },
        ),
      );
    });
    sending.end(request.body);
  });
}

function joined(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
