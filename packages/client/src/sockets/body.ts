import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { ArgumentError, type Clock, DeadlineError, NetworkError } from "@homeostat/core";
import { type Body, isStream, type Request } from "../transport/transport.ts";
import { pathWithoutQuery } from "../transport/path-without-query.ts";

/** Options of {@link readBody}. */
export interface BodyOptions {
  readonly message: IncomingMessage;
  /** The message itself or its decompressed content. */
  readonly stream: Readable;
  readonly request: Request;
  readonly clock: Clock;
  /** The maximum wait for the next piece. It runs only while the reader waits, so that a slow reader does not count as a silent server. */
  readonly idleMs: number;
  /** Called once when the body has ended: it was read, it was canceled, or the connection broke. */
  readonly onEnd: () => void;
}

/** If less than this is unread when a body is canceled, it is read and discarded, so that the connection can be reused. */
const drainBytesMax = 64 * 1024;
/** The time limit for that: a small body usually has arrived already. */
const drainMsMax = 1000;

/** Returns the body of a response as an iterable of pieces that can be read once. */
export function readBody(options: BodyOptions): Body {
  const { message, stream, onEnd } = options;
  let isTaken = false;
  message.once("close", onEnd);
  // Without a listener, an error after the body was canceled would end the process.
  stream.on("error", () => undefined);
  if (stream !== message) message.on("error", (error) => stream.destroy(error));
  return {
    [Symbol.asyncIterator]: () => {
      if (isTaken)
        throw new ArgumentError({ argument: "body", problem: "has already been read; a body can be read once." });
      isTaken = true;
      return pieces(options);
    },
    cancel: () => {
      if (isTaken) return;
      isTaken = true;
      if (stream !== message) {
        message.unpipe();
        stream.destroy();
      }
      drain(options);
    },
  };
}

/**
 * Reads and discards the rest of a small body so that its connection can be reused. Closes the connection of others.
 *
 * An unread body blocks its connection: HTTP/1.1 sends responses in order. Error responses are small and mostly not read; without this,
 * every 404 and 409 would cost a TLS handshake. A large or endless body is cheaper to cut off than to read.
 */
function drain({ message, request, clock }: BodyOptions): void {
  const length = Number(message.headers["content-length"] ?? 0);
  if (isStream(request) || length > drainBytesMax) {
    message.destroy();
    return;
  }
  let bytes = 0;
  const timer = clock.schedule(drainMsMax, () => message.destroy());
  message.once("close", () => timer[Symbol.dispose]());
  message.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > drainBytesMax) message.destroy();
  });
  message.resume();
}

// Not a generator: `return` of a generator that was never entered would not run its `finally` and leave the connection open.
function pieces(options: BodyOptions): AsyncIterator<Uint8Array, undefined> {
  const { message, stream, request, clock, idleMs } = options;
  const source: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    // Leaving early closes the connection: the rest will not be read, and a watch never ends.
    if (!message.complete) message.destroy();
    stream.destroy();
  };
  return {
    async next() {
      if (isOver) return { done: true, value: undefined };
      const timer =
        idleMs === Infinity ? undefined : clock.schedule(idleMs, () => stream.destroy(new DeadlineError(idleMs)));
      try {
        const result = await source.next();
        if (result.done !== true) return { done: false, value: result.value };
      } catch (cause) {
        // The reader left while this was waiting, which is not an error.
        if (isOver) return { done: true, value: undefined };
        finish();
        request.signal?.throwIfAborted();
        throw broken(request, cause);
      } finally {
        timer?.[Symbol.dispose]();
      }
      if (isOver) return { done: true, value: undefined };
      finish();
      if (!message.complete) throw broken(request);
      return { done: true, value: undefined };
    },
    return() {
      finish();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

function broken(request: Request, cause?: unknown): NetworkError {
  const about = { method: request.method, path: pathWithoutQuery(request.path) };
  return cause === undefined
    ? new NetworkError({ socketCode: "ERR_STREAM_PREMATURE_CLOSE", request: about })
    : new NetworkError({ request: about }, { cause });
}
