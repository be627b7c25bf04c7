import {
  type HandlerResponse,
  handleLocally,
  type ApiServer,
  type ClientIdentity,
  type LocalFaults,
} from "@homeostat/apiserver";
// Internal: responses without a socket have the headers that the HTTP server of the API server adds.
import { DateHeader, Warnings } from "@homeostat/apiserver/internal";
import type { Body, Request, Response, Transport } from "@homeostat/client";
import { type Clock, NetworkError, type Random, type TurnQueue } from "@homeostat/core";

/** Options of {@link localTransport}. */
export interface LocalTransportOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly turns: TurnQueue;
  /** Faults of the server and its clock. Without them, faults do not affect requests of this transport. */
  readonly faults?: LocalFaults;
}

/**
 * Builds a transport to an API server in this process, without a socket.
 *
 * Requests wait for their turn of the event loop, so that requests over sockets are handled between them. The
 * controllers and nodes of a cluster have transports without `faults`: faults are for the clients under test, and a
 * fault for the n-th request must not depend on how many requests the cluster itself sends.
 */
export function localTransport(
  server: ApiServer,
  identity: ClientIdentity,
  { clock, random, turns, faults }: LocalTransportOptions,
): Transport {
  const date = new DateHeader(clock);
  return {
    async send(request: Request): Promise<Response> {
      const { signal } = request;
      signal?.throwIfAborted();
      await turns.take();
      signal?.throwIfAborted();
      request.beforeSending?.();
      const controller = new AbortController();
      const abort = (): void => controller.abort(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      const done = (): void => signal?.removeEventListener("abort", abort);
      try {
        const { method, path, headers, body } = request;
        const local = {
          method,
          path,
          identity,
          ...(headers === undefined ? {} : { headers: withLowerCaseNames(headers) }),
          ...(body === undefined ? {} : { body }),
        };
        const answer = await handleLocally(server.handler, local, { random, signal: controller.signal, ...faults });
        signal?.throwIfAborted();
        if (answer === "cut") throw connectionReset(request);
        return { status: answer.status, headers: headersOf(answer, date), body: bodyOf(answer, { controller, done }) };
      } catch (error) {
        done();
        throw error;
      }
    },
  };
}

/** Builds the error of a connection that breaks after the request was sent. */
function connectionReset({ method, path }: Request): NetworkError {
  const [pathname = ""] = path.split("?", 1);
  return new NetworkError({ socketCode: "ECONNRESET", request: { method, path: pathname } });
}

function withLowerCaseNames(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | readonly string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function headersOf({ headers = {}, warnings = [] }: HandlerResponse, date: DateHeader): Record<string, string> {
  const made: Record<string, string> = { date: date.text() };
  for (const [name, value] of Object.entries(headers)) {
    made[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  if (warnings.length > 0) {
    const recorded = new Warnings();
    recorded.addAll(warnings);
    made["warning"] = recorded.headers().join(", ");
  }
  return made;
}

interface Reading {
  readonly controller: AbortController;
  readonly done: () => void;
}

function bodyOf(answer: HandlerResponse, { controller, done }: Reading): Body {
  if ("stream" in answer) return streamBody(answer.stream, controller, done);
  done();
  let left: Uint8Array | undefined = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  const takeWhole = (): Uint8Array | undefined => {
    const bytes = left;
    left = undefined;
    return bytes;
  };
  return {
    takeWhole,
    cancel: () => void takeWhole(),
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const bytes = takeWhole();
        const isEmpty = bytes === undefined || bytes.length === 0;
        return Promise.resolve(isEmpty ? { done: true, value: undefined } : { done: false, value: bytes });
      },
    }),
  };
}

function streamBody(stream: AsyncIterable<Uint8Array | string>, controller: AbortController, done: () => void): Body {
  const stop = (): void => {
    done();
    controller.abort(new Error("response body cancelled"));
  };
  return {
    cancel: stop,
    async *[Symbol.asyncIterator]() {
      const { signal } = controller;
      const iterator = stream[Symbol.asyncIterator]();
      let leave: () => void = () => undefined;
      const abort = (): void => leave();
      signal.addEventListener("abort", abort, { once: true });
      // One promise at a time: `Promise.race` would keep each of them alive until the signal aborts.
      const next = (): Promise<IteratorResult<Uint8Array | string> | undefined> =>
        new Promise((resolve, reject) => {
          leave = () => resolve(undefined);
          iterator.next().then(resolve, reject);
        });
      try {
        while (!signal.aborted) {
          const piece = await next();
          if (piece === undefined || piece.done === true) break;
          yield typeof piece.value === "string" ? Buffer.from(piece.value) : piece.value;
        }
        signal.throwIfAborted();
      } finally {
        signal.removeEventListener("abort", abort);
        // Not awaited: a pending read of the stream may settle much later.
        iterator.return?.().catch(() => undefined);
        done();
        controller.abort();
      }
    },
  };
}
